module millrace/bench/peers/tink-go

go 1.25.0

require github.com/tink-crypto/tink-go/v2 v2.9.0

require (
	golang.org/x/crypto v0.53.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)
