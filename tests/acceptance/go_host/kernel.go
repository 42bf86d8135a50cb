package main

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// remembered bounds the callbacks kept for the test to read, so that a long run measures the plugin only.
const remembered = 500

// behaviour says how the kernel answers callbacks. Empty strings mean: as the contract says.
type behaviour struct {
	Count          string `json:"count"` // "", "fail", "hang", "late", "odd"
	RefuseModelRef bool   `json:"refuse_model_ref"`
	Log            string `json:"log"` // "", "old", "fail", "hang"
	LateMillis     int    `json:"late_ms"`
}

type countCall struct {
	Bytes      int     `json:"bytes"`
	Provider   *string `json:"model_provider"`
	Model      *string `json:"model_id"`
	DeadlineMS int64   `json:"deadline_ms"`
}

type observed struct {
	Counts   []countCall `json:"counts"`
	Logs     []any       `json:"logs"`
	Total    int         `json:"total_counts"`
	Breaches []string    `json:"breaches"`
}

// kernel serves KernelCallbackService to one plugin.
type kernel struct {
	mutex sync.Mutex
	behaviour
	observed
}

func (k *kernel) set(next behaviour) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.behaviour = next
}

func (k *kernel) settings() behaviour {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.behaviour
}

// drain returns what was called since the last drain.
func (k *kernel) drain() observed {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	seen := k.observed
	k.observed = observed{Total: seen.Total}
	return seen
}

func (k *kernel) note(change func(*observed)) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	change(&k.observed)
}

func (k *kernel) countTokens(ctx context.Context, request *dynamicpb.Message) (proto.Message, error) {
	settings := k.settings()
	call := countCall{DeadlineMS: remaining(ctx)}
	blocks := list(request, "content")
	for i := range blocks.Len() {
		block := blocks.Get(i).Message()
		call.Bytes += len(text(get(block, "text").Message(), "text"))
	}
	if has(request, "model_ref") {
		ref := get(request, "model_ref").Message()
		provider, model := text(ref, "provider"), text(ref, "id")
		call.Provider, call.Model = &provider, &model
	}
	k.note(func(seen *observed) {
		seen.Total++
		if len(seen.Counts) < remembered {
			seen.Counts = append(seen.Counts, call)
		}
	})
	switch settings.Count {
	case "fail":
		return nil, status.Error(codes.Internal, "no tokenizer today")
	case "hang":
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	case "late":
		time.Sleep(time.Duration(settings.LateMillis) * time.Millisecond)
	}
	if settings.RefuseModelRef && call.Model != nil {
		return nil, status.Error(codes.NotFound, "no such model")
	}
	count := (call.Bytes + 3) / 4
	if settings.Count == "odd" {
		// Not additive, not monotone in the length, and zero now and then: a counter promises no more.
		count = call.Bytes % 97 * call.Bytes / 150
	}
	result := message("kernel.v1.CountTokensResult")
	set(result, "count", protoreflect.ValueOfInt64(int64(count)))
	return result, nil
}

func (k *kernel) log(ctx context.Context, request *dynamicpb.Message) (proto.Message, error) {
	settings := k.settings()
	if settings.Log != "old" && has(request, "entry") {
		k.breach("the reserved field 2 is set")
	}
	switch {
	case settings.Log == "hang":
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	case settings.Log == "fail":
		return nil, status.Error(codes.Unavailable, "no log today")
	case settings.Log == "old" && !has(request, "entry"):
		return nil, status.Error(codes.InvalidArgument, "entry is required")
	case settings.Log == "" && list(request, "entries").Len() == 0:
		return nil, status.Error(codes.InvalidArgument, "entries is required")
	}
	for _, entry := range entries(request, settings) {
		if get(entry, "level").Enum() == 0 || text(entry, "message") == "" || !has(entry, "time") {
			k.breach("a log entry lacks level, message or time")
			return nil, status.Error(codes.InvalidArgument, "level, message and time are required")
		}
	}
	k.note(func(seen *observed) {
		if len(seen.Logs) < remembered {
			seen.Logs = append(seen.Logs, toJSON(request))
		}
	})
	return message("kernel.v1.LogResult"), nil
}

// entries are the log entries that a host of this age reads.
func entries(request protoreflect.Message, settings behaviour) []protoreflect.Message {
	if settings.Log == "old" {
		return []protoreflect.Message{get(request, "entry").Message()}
	}
	var result []protoreflect.Message
	for i := range list(request, "entries").Len() {
		result = append(result, list(request, "entries").Get(i).Message())
	}
	return result
}

// breach notes what a host would put up with but the contract forbids.
func (k *kernel) breach(what string) {
	k.note(func(seen *observed) { seen.Breaches = append(seen.Breaches, what) })
}

func (k *kernel) getConfig(context.Context, *dynamicpb.Message) (proto.Message, error) {
	return message("kernel.v1.GetConfigResult"), nil
}

func (k *kernel) emit(context.Context, *dynamicpb.Message) (proto.Message, error) {
	return nil, status.Error(codes.PermissionDenied, "a context provider has nothing to emit")
}

// server is what the host serves on the callback broker stream.
func (k *kernel) server(options []grpc.ServerOption) *grpc.Server {
	server := grpc.NewServer(options...)
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: root + "kernel.v1.KernelCallbackService",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			method("CountTokens", "kernel.v1.CountTokensRequest", k.countTokens),
			method("Log", "kernel.v1.LogRequest", k.log),
			method("GetConfig", "kernel.v1.GetConfigRequest", k.getConfig),
			method("Emit", "kernel.v1.EmitRequest", k.emit),
		},
	}, k)
	return server
}

func method(
	name, request string, handle func(context.Context, *dynamicpb.Message) (proto.Message, error),
) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(
		_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor,
	) (any, error) {
		value := message(request)
		if err := decode(value); err != nil {
			return nil, err
		}
		return handle(ctx, value)
	}}
}

func remaining(ctx context.Context) int64 {
	deadline, limited := ctx.Deadline()
	if !limited {
		return -1
	}
	return time.Until(deadline).Milliseconds()
}

func field(of protoreflect.Message, name string) protoreflect.FieldDescriptor {
	return of.Descriptor().Fields().ByName(protoreflect.Name(name))
}

func get(of protoreflect.Message, name string) protoreflect.Value { return of.Get(field(of, name)) }

func has(of protoreflect.Message, name string) bool { return of.Has(field(of, name)) }

func set(of protoreflect.Message, name string, value protoreflect.Value) {
	of.Set(field(of, name), value)
}

func list(of protoreflect.Message, name string) protoreflect.List { return get(of, name).List() }

func text(of protoreflect.Message, name string) string { return get(of, name).String() }
