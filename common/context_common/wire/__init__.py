"""The wire messages: .proto files written from the contract, and what protoc makes of them."""
