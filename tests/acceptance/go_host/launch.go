package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

const (
	cookieKey    = "PLUGGABLEHARNESS_AGENT_PLUGIN"
	cookieValue  = "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake"
	callbackID   = 1
	closingLimit = 5 * time.Second
)

// order says how a plugin is started. The zero value of everything but the path is what the contract says.
type order struct {
	Path      string            `json:"path"`
	Category  string            `json:"category"`
	LocalName string            `json:"local_name"`
	Whole     bool              `json:"whole_environment"`
	Variables map[string]string `json:"variables"`
	Cookie    string            `json:"cookie_key"`
	Versions  []int             `json:"protocol_versions"`
	AutoMTLS  bool              `json:"auto_mtls"`
	Multiplex bool              `json:"multiplex"`
	Undialled bool              `json:"undialled"` // stop after the handshake line
}

// launched is one plugin process and its kernel.
type launched struct {
	client   *plugin.Client
	protocol plugin.ClientProtocol
	conn     *grpc.ClientConn
	cmd      *exec.Cmd
	cancel   context.CancelFunc
	logs     *logs
	kernel   *kernel
	started  time.Duration
}

// contextPlugin is the host's half of a plugin-map entry: it keeps the connection and serves the kernel.
type contextPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	kernel *kernel
}

func (p *contextPlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

func (p *contextPlugin) GRPCClient(
	_ context.Context, broker *plugin.GRPCBroker, conn *grpc.ClientConn,
) (any, error) {
	go broker.AcceptAndServe(callbackID, p.kernel.server)
	return conn, nil
}

func launch(o order) (*launched, error) {
	category := or(o.Category, "context")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, o.Path)
	cmd.Env = environment(o, category)
	result := &launched{cmd: cmd, cancel: cancel, logs: &logs{}, kernel: &kernel{}}
	plugins := plugin.PluginSet{category: &contextPlugin{kernel: result.kernel}}
	config := &plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion: 1, MagicCookieKey: or(o.Cookie, cookieKey), MagicCookieValue: cookieValue,
		},
		Plugins:             plugins,
		Cmd:                 cmd,
		AllowedProtocols:    []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:            o.AutoMTLS,
		GRPCBrokerMultiplex: o.Multiplex,
		SkipHostEnv:         !o.Whole,
		Logger: hclog.New(&hclog.LoggerOptions{
			Name: "host", Level: hclog.Trace, JSONFormat: true, Output: result.logs,
		}),
	}
	if len(o.Versions) > 0 {
		config.Plugins, config.VersionedPlugins = nil, map[int]plugin.PluginSet{}
		config.HandshakeConfig.ProtocolVersion = uint(o.Versions[0])
		for _, version := range o.Versions {
			config.VersionedPlugins[version] = plugins
		}
	}
	result.client = plugin.NewClient(config)
	began := time.Now()
	if _, err := result.client.Start(); err != nil {
		result.client.Kill()
		return result, err
	}
	result.started = time.Since(began)
	if o.Undialled {
		return result, nil
	}
	return result, result.dispense(category)
}

func (l *launched) dispense(category string) (err error) {
	if l.protocol, err = l.client.Client(); err != nil {
		return err
	}
	connection, err := l.protocol.Dispense(category)
	if err == nil {
		l.conn = connection.(*grpc.ClientConn)
	}
	return err
}

func environment(o order, category string) []string {
	stamp := fmt.Sprintf(
		"pluggableharness.producer.category=%s,pluggableharness.producer.name=%s,pluggableharness.producer.version=%s",
		url.QueryEscape(category), url.QueryEscape(o.LocalName), url.QueryEscape("0.0.0"),
	)
	result := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	if directory := os.Getenv("TMPDIR"); directory != "" {
		result = append(result, "TMPDIR="+directory)
	}
	if o.LocalName != "" {
		result = append(result, "OTEL_RESOURCE_ATTRIBUTES="+stamp)
	}
	for name, value := range o.Variables {
		result = append(result, name+"="+value)
	}
	return result
}

// call sends one unary request of a category's service and returns the answer.
func (l *launched) call(ctx context.Context, path string, request, response proto.Message) error {
	return l.conn.Invoke(ctx, path, request, response)
}

// ending tells how a plugin went.
type ending struct {
	Millis    float64 `json:"ms"`
	Escalated bool    `json:"escalated"`
	ExitCode  int     `json:"exit_code"`
}

// kill ends the plugin as the public host does: go-plugin's own way first, the process's context after a limit.
func (l *launched) kill(limit time.Duration) ending {
	began := time.Now()
	done := make(chan struct{})
	go func() {
		l.client.Kill()
		close(done)
	}()
	var result ending
	select {
	case <-done:
	case <-time.After(limit):
		result.Escalated = true
		l.cancel()
		<-done
	}
	result.Millis = millis(time.Since(began))
	result.ExitCode = l.cmd.ProcessState.ExitCode()
	return result
}

func (l *launched) pid() int {
	if l.cmd.Process == nil {
		return 0
	}
	return l.cmd.Process.Pid
}

// residentKiB is the plugin's resident memory.
func (l *launched) residentKiB() (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.pid()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		var size int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &size); n == 1 {
			return size, nil
		}
	}
	return 0, fmt.Errorf("process %d has no resident memory", l.pid())
}

// logs collects what go-plugin made of the plugin's stderr, one JSON object for each entry.
type logs struct {
	mutex   sync.Mutex
	entries []json.RawMessage
}

var _ io.Writer = (*logs)(nil)

func (l *logs) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.entries = append(l.entries, append(json.RawMessage{}, line...))
	return len(line), nil
}

func (l *logs) drain() []json.RawMessage {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	entries := l.entries
	l.entries = nil
	return entries
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
