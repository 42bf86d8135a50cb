// A host for acceptance tests: hashicorp/go-plugin itself, driven by JSON commands on stdin.
//
// Every command is an object with an "id" and a "do"; it runs on its own and is answered by one line with
// the same id and either a "value" or a "failure". The host ends when stdin does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

type command struct {
	ID     int    `json:"id"`
	Do     string `json:"do"`
	Plugin string `json:"plugin"` // which of the launched plugins, where there are several

	Order     order           `json:"order"`
	Behaviour behaviour       `json:"behaviour"`
	Method    string          `json:"method"`
	Type      string          `json:"type"`
	Message   json.RawMessage `json:"message"`
	Own       string          `json:"own"`   // the provider name whose sections are not foreign
	Newer     bool            `json:"newer"` // add a field that this contract does not have to every section
	TimeoutMS int             `json:"timeout_ms"`
	LimitMS   int             `json:"limit_ms"`
	Storm     storm           `json:"storm"`
}

type reply struct {
	ID      int      `json:"id"`
	Value   any      `json:"value,omitempty"`
	Failure *failure `json:"failure,omitempty"`
}

type host struct {
	mutex   sync.Mutex
	plugins map[string]*launched
}

var actions = map[string]func(*host, command) (any, error){
	"launch": (*host).launch, "call": (*host).call, "foreign": (*host).foreign, "ping": (*host).ping,
	"behave": (*host).behave, "observed": (*host).observed, "logs": (*host).logs, "memory": (*host).memory,
	"storm": (*host).storm, "kill": (*host).kill, "encode": (*host).encode,
}

func main() {
	// A handler, not SIG_IGN: an ignored signal would be inherited by the plugin and hide what it does with it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	h := &host{plugins: map[string]*launched{}}
	answers := sync.Mutex{}
	input := json.NewDecoder(os.Stdin)
	for {
		var c command
		if err := input.Decode(&c); errors.Is(err, io.EOF) {
			break
		} else {
			must(err)
		}
		go func() {
			value, err := h.run(c)
			answer := reply{ID: c.ID, Value: value}
			if err != nil {
				answer.Failure = toFailure(err)
			}
			text, err := json.Marshal(answer)
			must(err)
			answers.Lock()
			defer answers.Unlock()
			fmt.Printf("%s\n", text)
		}()
	}
	for _, plugin := range h.plugins {
		plugin.kill(closingLimit)
	}
}

func (h *host) run(c command) (any, error) {
	action, known := actions[c.Do]
	if !known {
		return nil, fmt.Errorf("no such command: %q", c.Do)
	}
	return action(h, c)
}

func (h *host) of(c command) *launched {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.plugins[c.Plugin]
}

func (h *host) launch(c command) (any, error) {
	l, err := launch(c.Order)
	h.mutex.Lock()
	h.plugins[c.Plugin] = l
	h.mutex.Unlock()
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"pid": l.pid(), "handshake_ms": millis(l.started), "version": l.client.NegotiatedVersion(),
	}, nil
}

func (h *host) kill(c command) (any, error) {
	limit := closingLimit
	if c.LimitMS > 0 {
		limit = time.Duration(c.LimitMS) * time.Millisecond
	}
	return h.of(c).kill(limit), nil
}

func (h *host) behave(c command) (any, error) {
	h.of(c).kernel.set(c.Behaviour)
	return true, nil
}

func (h *host) observed(c command) (any, error) { return h.of(c).kernel.drain(), nil }

func (h *host) logs(c command) (any, error) { return h.of(c).logs.drain(), nil }

func (h *host) memory(c command) (any, error) { return h.of(c).residentKiB() }

func (h *host) ping(c command) (any, error) { return true, h.of(c).protocol.Ping() }

// call sends one request of ContextService. The types are those of the contract: XRequest and XResponse,
// except for Contribute.
func (h *host) call(c command) (any, error) {
	request, response, err := messages(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := limited(c)
	defer cancel()
	began := time.Now()
	if err := h.of(c).call(ctx, "/"+root+"context.v1.ContextService/"+c.Method, request, response); err != nil {
		return nil, err
	}
	spent := time.Since(began)
	return map[string]any{
		"ms": millis(spent), "answer": toJSON(response), "intact": intact(request, response, c),
		"request_bytes": proto.Size(request),
	}, nil
}

// foreign calls Describe of another category's service, as the category probe does.
func (h *host) foreign(c command) (any, error) {
	ctx, cancel := limited(c)
	defer cancel()
	began := time.Now()
	err := h.of(c).call(ctx, "/"+root+c.Method, &emptypb.Empty{}, &emptypb.Empty{})
	if err == nil {
		return nil, errors.New("the plugin answered for a category that is not its own")
	}
	return map[string]any{"ms": millis(time.Since(began)), "code": toFailure(err).Code}, nil
}

// encode turns a message of the contract into bytes, for fields that hold one.
func (h *host) encode(c command) (any, error) {
	value, err := fromJSON(c.Type, c.Message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(value)
}

func limited(c command) (context.Context, context.CancelFunc) {
	if c.TimeoutMS == 0 {
		return context.WithCancel(context.Background())
	}
	return context.WithTimeout(context.Background(), time.Duration(c.TimeoutMS)*time.Millisecond)
}
