package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// unknownNumber is a field number that no message of the contract has.
const unknownNumber = 1000

func messages(c command) (request, response *dynamicpb.Message, err error) {
	names := [2]string{"context.v1." + c.Method + "Request", "context.v1." + c.Method + "Response"}
	if c.Method == "Contribute" {
		names = [2]string{"context.v1.ContextRequest", "context.v1.ContextContribution"}
	}
	request, err = fromJSON(names[0], c.Message)
	if err == nil && c.Newer {
		extend(request)
		for i := range list(request, "prior_sections").Len() {
			extend(list(request, "prior_sections").Get(i).Message())
		}
	}
	return request, message(names[1]), err
}

// extend gives a message a field that only a newer contract could have.
func extend(value protoreflect.Message) {
	field := protowire.AppendTag(nil, unknownNumber, protowire.BytesType)
	value.SetUnknown(protowire.AppendString(field, "from a newer host"))
}

// intact says whether the sections of others in the chain, in every field and in order, are in the answer
// what they were in the request. It is nil for calls that carry no chain.
func intact(request, response *dynamicpb.Message, c command) *bool {
	if c.Own == "" {
		return nil
	}
	before, after := foreign(request, "prior_sections", c.Own), foreign(response, "sections", c.Own)
	same := slices.EqualFunc(before, after, func(a, b protoreflect.Message) bool {
		return proto.Equal(a.Interface(), b.Interface())
	})
	return &same
}

func foreign(of protoreflect.Message, name, own string) []protoreflect.Message {
	var result []protoreflect.Message
	for i := range list(of, name).Len() {
		section := list(of, name).Get(i).Message()
		if text(section, "provider") != own {
			result = append(result, section)
		}
	}
	return result
}

// storm is many firings at once: caller n sends request n modulo their number, over and over.
type storm struct {
	Callers  int               `json:"callers"`
	Firings  int               `json:"firings"`
	Requests []json.RawMessage `json:"requests"`
}

type stormResult struct {
	Failures    []*failure          `json:"failures"`
	Answers     [][]json.RawMessage `json:"answers"` // for each request, its different answers
	P50Micros   int64               `json:"p50_us"`
	P99Micros   int64               `json:"p99_us"`
	ResidentKiB []int               `json:"resident_kib"` // before, then after each quarter
}

func (h *host) storm(c command) (any, error) {
	l := h.of(c)
	callers := make([]command, c.Storm.Callers)
	for i := range callers {
		callers[i] = c
		callers[i].Method, callers[i].Message = "Contribute", c.Storm.Requests[i%len(c.Storm.Requests)]
	}
	result := stormResult{Answers: make([][]json.RawMessage, len(c.Storm.Requests))}
	seen := make([]map[string]bool, len(c.Storm.Requests))
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	var times []time.Duration
	var mutex sync.Mutex
	var turn atomic.Int64
	fire := func(index int, c command) {
		request, response, err := messages(c)
		must(err)
		set(request, "turn_id", protoreflect.ValueOfString(fmt.Sprintf("turn-%d", turn.Add(1))))
		ctx, cancel := limited(c)
		defer cancel()
		began := time.Now()
		err = l.call(ctx, "/"+root+"context.v1.ContextService/Contribute", request, response)
		spent := time.Since(began)
		mutex.Lock()
		defer mutex.Unlock()
		times = append(times, spent)
		if err != nil {
			result.Failures = append(result.Failures, toFailure(err))
			return
		}
		bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
		must(err)
		if which := index % len(seen); !seen[which][string(bytes)] {
			seen[which][string(bytes)] = true
			result.Answers[which] = append(result.Answers[which], toJSON(response))
		}
	}
	for quarter := 0; ; quarter++ {
		size, err := l.residentKiB()
		if err != nil {
			return nil, err
		}
		result.ResidentKiB = append(result.ResidentKiB, size)
		if quarter == 4 {
			break
		}
		var group sync.WaitGroup
		for index, caller := range callers {
			group.Go(func() {
				for range c.Storm.Firings / 4 / len(callers) {
					fire(index, caller)
				}
			})
		}
		group.Wait()
	}
	slices.Sort(times)
	result.P50Micros = times[len(times)/2].Microseconds()
	result.P99Micros = times[len(times)*99/100].Microseconds()
	return result, nil
}
