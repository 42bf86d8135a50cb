package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // status details print as JSON
	_ "google.golang.org/protobuf/types/known/structpb"      // contract.txt names Struct
	_ "google.golang.org/protobuf/types/known/timestamppb"   // contract.txt names Timestamp
)

//go:embed contract.txt
var contract string

const root = "pluggableharness."

var scalars = map[string]descriptorpb.FieldDescriptorProto_Type{
	"string": descriptorpb.FieldDescriptorProto_TYPE_STRING,
	"bytes":  descriptorpb.FieldDescriptorProto_TYPE_BYTES,
	"bool":   descriptorpb.FieldDescriptorProto_TYPE_BOOL,
	"int64":  descriptorpb.FieldDescriptorProto_TYPE_INT64,
	"uint32": descriptorpb.FieldDescriptorProto_TYPE_UINT32,
}

var wellKnown = map[string]string{
	"Struct":    ".google.protobuf.Struct",
	"Timestamp": ".google.protobuf.Timestamp",
}

// descriptors holds the messages of contract.txt. They stand in one file, nested in messages that are
// named like the packages, which gives them the full names that the contract says.
var descriptors = load(contract)

func load(table string) protoreflect.FileDescriptor {
	file := &descriptorpb.FileDescriptorProto{
		Name:       proto.String("contract.txt"),
		Package:    proto.String(strings.TrimSuffix(root, ".")),
		Syntax:     proto.String("editions"),
		Edition:    descriptorpb.Edition_EDITION_2023.Enum(),
		Dependency: []string{"google/protobuf/struct.proto", "google/protobuf/timestamp.proto"},
		Options: &descriptorpb.FileOptions{Features: &descriptorpb.FeatureSet{
			FieldPresence: descriptorpb.FeatureSet_IMPLICIT.Enum(),
		}},
	}
	packages := map[string]*descriptorpb.DescriptorProto{}
	var message *descriptorpb.DescriptorProto
	var enum *descriptorpb.EnumDescriptorProto
	var prefix string
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case strings.HasPrefix(line, "message "):
			scope, name := packageOf(file, packages, words[1])
			message, enum = &descriptorpb.DescriptorProto{Name: &name}, nil
			scope.NestedType = append(scope.NestedType, message)
		case strings.HasPrefix(line, "enum "):
			scope, name := packageOf(file, packages, words[1])
			message, enum, prefix = nil, &descriptorpb.EnumDescriptorProto{Name: &name}, words[2]
			scope.EnumType = append(scope.EnumType, enum)
		case enum != nil:
			enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{
				Name: proto.String(prefix + words[0]), Number: number(words[1]),
			})
		default:
			addField(message, words)
		}
	}
	descriptor, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	must(err)
	return descriptor
}

func packageOf(
	file *descriptorpb.FileDescriptorProto, packages map[string]*descriptorpb.DescriptorProto, path string,
) (*descriptorpb.DescriptorProto, string) {
	parts := strings.Split(path, ".")
	version := packages[parts[0]]
	if version == nil {
		version = &descriptorpb.DescriptorProto{Name: &parts[1]}
		packages[parts[0]] = version
		file.MessageType = append(file.MessageType, &descriptorpb.DescriptorProto{
			Name: &parts[0], NestedType: []*descriptorpb.DescriptorProto{version},
		})
	}
	return version, parts[2]
}

func addField(message *descriptorpb.DescriptorProto, words []string) {
	field := &descriptorpb.FieldDescriptorProto{Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	switch words[0] {
	case "repeated":
		field.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		words = words[1:]
	case "optional":
		field.Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{
			FieldPresence: descriptorpb.FeatureSet_EXPLICIT.Enum(),
		}}
		words = words[1:]
	case "oneof":
		if len(message.OneofDecl) == 0 {
			message.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: proto.String("one")}}
		}
		field.OneofIndex = proto.Int32(0)
		words = words[1:]
	}
	field.Name, field.Number = &words[0], number(words[2])
	if scalar, ok := scalars[words[1]]; ok {
		field.Type = scalar.Enum()
	} else if name, ok := wellKnown[words[1]]; ok {
		field.TypeName = &name
	} else {
		field.TypeName = proto.String("." + root + words[1])
	}
	message.Field = append(message.Field, field)
}

func number(word string) *int32 {
	value, err := strconv.ParseInt(word, 10, 32)
	must(err)
	return proto.Int32(int32(value))
}

// message returns an empty message of the contract, such as "context.v1.ContextRequest".
func message(name string) *dynamicpb.Message {
	parts := strings.Split(name, ".")
	scope := descriptors.Messages().ByName(protoreflect.Name(parts[0])).Messages().ByName(protoreflect.Name(parts[1]))
	return dynamicpb.NewMessage(scope.Messages().ByName(protoreflect.Name(parts[2])))
}

// resolver finds the types of status details: the contract's own and Google's.
type resolver struct{ *protoregistry.Types }

func (r resolver) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	full := url[strings.LastIndex(url, "/")+1:]
	if name, ours := strings.CutPrefix(full, root); ours && strings.Count(name, ".") == 2 {
		return message(name).Type(), nil
	}
	return r.Types.FindMessageByURL(url)
}

func toJSON(value proto.Message) json.RawMessage {
	text, err := protojson.MarshalOptions{
		UseProtoNames: true, EmitDefaultValues: true, Resolver: resolver{protoregistry.GlobalTypes},
	}.Marshal(value)
	must(err)
	return text
}

func fromJSON(name string, text json.RawMessage) (*dynamicpb.Message, error) {
	value := message(name)
	if len(text) == 0 {
		return value, nil
	}
	if err := protojson.Unmarshal(text, value); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

// failure is a gRPC status as JSON: the code's name, the message, and the details by type.
type failure struct {
	Code    string            `json:"code"`
	Message string            `json:"message"`
	Details []json.RawMessage `json:"details"`
}

func toFailure(err error) *failure {
	state, isStatus := status.FromError(err)
	if !isStatus {
		return &failure{Code: "host", Message: err.Error()}
	}
	result := &failure{Code: state.Code().String(), Message: state.Message()}
	for _, detail := range state.Proto().GetDetails() {
		result.Details = append(result.Details, toJSON(detail))
	}
	return result
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
