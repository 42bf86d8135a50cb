"""The wire messages: .proto files in our own words, and what protoc makes of them."""
