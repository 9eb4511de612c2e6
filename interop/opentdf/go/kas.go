package main

// A key access server that holds given private keys, permits everybody and stands in for the whole platform: the well-known
// configuration, the registry of servers and a token endpoint. It unwraps with OpenTDF's own lib/ocrypto.

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"connectrpc.com/connect"
	"github.com/lestrrat-go/jwx/v2/jws"
	"github.com/lestrrat-go/jwx/v2/jwt"
	"github.com/opentdf/platform/lib/ocrypto"
	"github.com/opentdf/platform/protocol/go/kas"
	"github.com/opentdf/platform/protocol/go/kas/kasconnect"
	"github.com/opentdf/platform/protocol/go/policy"
	"github.com/opentdf/platform/protocol/go/policy/kasregistry"
	"github.com/opentdf/platform/protocol/go/policy/kasregistry/kasregistryconnect"
	"github.com/opentdf/platform/protocol/go/wellknownconfiguration"
	"github.com/opentdf/platform/protocol/go/wellknownconfiguration/wellknownconfigurationconnect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

// What the real server says when a key does not unwrap and when a policy binding is wrong: the same, on purpose.
const badRequest = "invalid_argument: request error\nrpc error: code = InvalidArgument desc = bad request"

type kasKey struct {
	kid       string
	algorithm ocrypto.KeyType
	private   string // PEM
	public    string // PEM
}

// parsePrivateKey takes the three encodings that keys come in: PKCS#8, PKCS#1 (RSA) and SEC 1 (EC).
func parsePrivateKey(der []byte) (any, error) {
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, nil
	}
	return x509.ParsePKCS8PrivateKey(der)
}

// readKey reads a private key, DER or PEM.
func readKey(kid, file string) (kasKey, error) {
	der, err := os.ReadFile(file)
	if err != nil {
		return kasKey{}, err
	}
	if block, _ := pem.Decode(der); block != nil {
		der = block.Bytes
	}
	parsed, err := parsePrivateKey(der)
	if err != nil {
		return kasKey{}, fmt.Errorf("%s: %w", file, err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(parsed)
	if err != nil {
		return kasKey{}, fmt.Errorf("%s: %w", file, err)
	}
	key := kasKey{kid: kid, private: toPEM("PRIVATE KEY", pkcs8)}
	switch private := parsed.(type) {
	case *rsa.PrivateKey:
		key.algorithm = ocrypto.KeyType(fmt.Sprintf("rsa:%d", private.N.BitLen()))
	case *ecdsa.PrivateKey:
		key.algorithm = map[string]ocrypto.KeyType{
			"P-256": ocrypto.EC256Key, "P-384": ocrypto.EC384Key, "P-521": ocrypto.EC521Key,
		}[private.Curve.Params().Name]
	}
	signer, ok := parsed.(crypto.Signer)
	if !ok || key.algorithm == "" {
		return kasKey{}, fmt.Errorf("%s: no key that a KAS could hold", file)
	}
	spki, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return kasKey{}, err
	}
	key.public = toPEM("PUBLIC KEY", spki)
	return key, nil
}

func toPEM(label string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}

type stubKAS struct {
	kasconnect.UnimplementedAccessServiceHandler
	kasregistryconnect.UnimplementedKeyAccessServerRegistryServiceHandler
	wellknownconfigurationconnect.UnimplementedWellKnownServiceHandler

	keys    []kasKey
	servers []string // what the registry answers: the servers that a reader may ask
	issuer  string
	rewraps int // key access objects permitted so far
}

func (s *stubKAS) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(kasconnect.NewAccessServiceHandler(s))
	mux.Handle(kasregistryconnect.NewKeyAccessServerRegistryServiceHandler(s))
	mux.Handle(wellknownconfigurationconnect.NewWellKnownServiceHandler(s))
	mux.HandleFunc("GET /.well-known/opentdf-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"platform_issuer": s.issuer})
	})
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"issuer": s.issuer, "token_endpoint": s.issuer + "/token"})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"access_token": "stub", "token_type": "Bearer", "expires_in": 3600})
	})
	return mux
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (s *stubKAS) GetWellKnownConfiguration(
	context.Context, *connect.Request[wellknownconfiguration.GetWellKnownConfigurationRequest],
) (*connect.Response[wellknownconfiguration.GetWellKnownConfigurationResponse], error) {
	configuration, err := structpb.NewStruct(map[string]any{"platform_issuer": s.issuer})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&wellknownconfiguration.GetWellKnownConfigurationResponse{Configuration: configuration}), nil
}

func (s *stubKAS) ListKeyAccessServers(
	context.Context, *connect.Request[kasregistry.ListKeyAccessServersRequest],
) (*connect.Response[kasregistry.ListKeyAccessServersResponse], error) {
	answer := &kasregistry.ListKeyAccessServersResponse{}
	for _, uri := range s.servers {
		answer.KeyAccessServers = append(answer.KeyAccessServers, &policy.KeyAccessServer{Uri: uri})
	}
	return connect.NewResponse(answer), nil
}

func (s *stubKAS) PublicKey(
	_ context.Context, request *connect.Request[kas.PublicKeyRequest],
) (*connect.Response[kas.PublicKeyResponse], error) {
	algorithm := request.Msg.GetAlgorithm()
	if algorithm == "" {
		algorithm = string(ocrypto.RSA2048Key)
	}
	for _, key := range s.keys {
		if string(key.algorithm) == algorithm {
			return connect.NewResponse(&kas.PublicKeyResponse{PublicKey: key.public, Kid: key.kid}), nil
		}
	}
	return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("no key for %s", algorithm))
}

func (s *stubKAS) Rewrap(
	_ context.Context, request *connect.Request[kas.RewrapRequest],
) (*connect.Response[kas.RewrapResponse], error) {
	body, err := openRequest(request)
	if err != nil {
		return nil, err
	}
	session, err := ocrypto.FromPublicPEM(body.GetClientPublicKey())
	if err != nil {
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	answer := &kas.RewrapResponse{}
	if der := session.EphemeralKey(); der != nil {
		answer.SessionPublicKey = toPEM("PUBLIC KEY", der)
	}
	for _, group := range body.GetRequests() {
		results := &kas.PolicyRewrapResult{PolicyId: group.GetPolicy().GetId()}
		for _, object := range group.GetKeyAccessObjects() {
			result := &kas.KeyAccessRewrapResult{KeyAccessObjectId: object.GetKeyAccessObjectId(), Status: "permit"}
			wrapped, err := s.rewrap(object.GetKeyAccessObject(), group.GetPolicy().GetBody(), session)
			if err == nil {
				result.Result = &kas.KeyAccessRewrapResult_KasWrappedKey{KasWrappedKey: wrapped}
			} else {
				result.Status = "fail"
				result.Result = &kas.KeyAccessRewrapResult_Error{Error: badRequest}
			}
			results.Results = append(results.Results, result)
		}
		slices.Reverse(results.Results) // callers must go by the ids
		answer.Responses = append(answer.Responses, results)
	}
	return connect.NewResponse(answer), nil
}

// openRequest checks the signed token with the key of the DPoP proof beside it, as the real server does. A caller without DPoP
// (a bearer token) is taken at its word, which the real server does too.
func openRequest(request *connect.Request[kas.RewrapRequest]) (*kas.UnsignedRewrapRequest, error) {
	if request.Header().Get("Authorization") == "" {
		return nil, connect.NewError(connect.CodeUnauthenticated, errors.New("no access token"))
	}
	signed := []byte(request.Msg.GetSignedRequestToken())
	if proof := request.Header().Get("DPoP"); proof != "" {
		message, err := jws.Parse([]byte(proof))
		if err != nil {
			return nil, connect.NewError(connect.CodeUnauthenticated, err)
		}
		headers := message.Signatures()[0].ProtectedHeaders()
		for _, token := range [][]byte{[]byte(proof), signed} {
			if _, err := jws.Verify(token, jws.WithKey(headers.Algorithm(), headers.JWK())); err != nil {
				return nil, connect.NewError(connect.CodeUnauthenticated, err)
			}
		}
	}
	token, err := jwt.ParseInsecure(signed)
	if err != nil {
		return nil, connect.NewError(connect.CodeUnauthenticated, err)
	}
	claim, _ := token.Get("requestBody")
	text, _ := claim.(string)
	body := &kas.UnsignedRewrapRequest{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal([]byte(text), body); err != nil {
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	return body, nil
}

func (s *stubKAS) rewrap(object *kas.KeyAccess, policyText string, session ocrypto.PublicKeyEncryptor) ([]byte, error) {
	share, err := s.unwrap(object)
	if err != nil {
		return nil, err
	}
	binding, err := base64.StdEncoding.DecodeString(object.GetPolicyBinding().GetHash())
	if err != nil {
		return nil, err
	}
	expected := hmac.New(sha256.New, share)
	expected.Write([]byte(policyText))
	// The JavaScript SDK leaves the algorithm out of its requests.
	algorithm := object.GetPolicyBinding().GetAlgorithm()
	if algorithm != "" && algorithm != "HS256" || hex.EncodeToString(expected.Sum(nil)) != string(binding) {
		return nil, errors.New("policy binding")
	}
	s.rewraps++
	return session.Encrypt(share)
}

func (s *stubKAS) unwrap(object *kas.KeyAccess) ([]byte, error) {
	var failures []error
	for _, key := range s.keys {
		// Without a kid every RSA key is tried, as the real server does with its legacy keys.
		if object.GetKid() != key.kid && (object.GetKid() != "" || !ocrypto.IsRSAKeyType(key.algorithm)) {
			continue
		}
		decryptor, err := ocrypto.FromPrivatePEM(key.private)
		if err != nil {
			return nil, err
		}
		var share []byte
		if ec, ok := decryptor.(ocrypto.ECDecryptor); ok {
			block, _ := pem.Decode([]byte(object.GetEphemeralPublicKey()))
			if object.GetKeyType() != "ec-wrapped" || block == nil {
				return nil, errors.New("not wrapped for an EC key")
			}
			share, err = ec.DecryptWithEphemeralKey(object.GetWrappedKey(), block.Bytes)
		} else if object.GetKeyType() == "wrapped" {
			share, err = decryptor.Decrypt(object.GetWrappedKey())
		} else {
			err = errors.New("not wrapped for an RSA key")
		}
		if err == nil {
			return share, nil
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("no key opens it: %w", errors.Join(failures...))
}
