// OpenTDF's Go SDK as a peer: one job per line on stdin, one answer per line on stdout (see ../exchange.py for the jobs).
//
// The SDK sees a platform and key access servers under whatever URLs a job or a file names: every connection it opens, http and https
// alike, ends at the stub in this process.
package main

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/opentdf/platform/lib/ocrypto"
	"github.com/opentdf/platform/protocol/go/policy"
	"github.com/opentdf/platform/sdk"
	"golang.org/x/oauth2"
)

const platform = "https://platform.example.com"

type job struct {
	Op   string    `json:"op"`
	Keys []keyFile `json:"keys"` // what the KAS holds; the first of an algorithm is the one it hands out
	In   string    `json:"in"`
	Out  string    `json:"out"`

	// encrypt
	To             []recipient `json:"to"`
	Any            bool        `json:"any"` // any recipient opens the file; without it all are needed
	Wrap           string      `json:"wrap"`
	Attributes     []string    `json:"attributes"`
	SegmentSize    int64       `json:"segment_size"`
	TargetMode     string      `json:"target_mode"`
	MimeType       string      `json:"mime_type"`
	Metadata       string      `json:"metadata"`
	SystemMetadata bool        `json:"system_metadata"`
	Stream         bool        `json:"stream"` // the SDK may not learn the size in advance
	NoKid          bool        `json:"no_kid"`
	Assertions     string      `json:"assertions"`

	// decrypt
	Servers       []string `json:"servers"` // the registry's list; none: the SDK is told to ignore the list
	AssertionKeys string   `json:"assertion_keys"`
	NoVerify      bool     `json:"no_verify"`
	Session       string   `json:"session"`
	Schema        bool     `json:"schema"` // check the manifest against the SDK's strict schema
	Offset        int64    `json:"offset"`
	Length        int64    `json:"length"` // not 0: read so many bytes at offset
}

type keyFile struct {
	Kid  string `json:"kid"`
	File string `json:"file"`
}

type recipient struct {
	URL string `json:"url"`
	Kid string `json:"kid"`
}

type answer struct {
	OK         bool     `json:"ok"`
	Error      string   `json:"error,omitempty"`
	Metadata   string   `json:"metadata,omitempty"`
	Attributes []string `json:"attributes,omitempty"`
	Rewraps    int      `json:"rewraps,omitempty"`
	URL        string   `json:"url,omitempty"`
	Version    string   `json:"version,omitempty"`
}

// current is the platform that the job at hand has; the listener's server asks it for every request.
var current atomic.Pointer[http.Handler]

func listen() (net.Addr, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*current.Load()).ServeHTTP(w, r) }))
	// WithInsecurePlaintextConn makes the SDK use the default transport.
	transport := http.DefaultTransport.(*http.Transport)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	}
	transport.Proxy = nil
	transport.DialContext = dial
	transport.DialTLSContext = dial
	return listener.Addr(), nil
}

func newStub(j job) (*stubKAS, error) {
	stub := &stubKAS{servers: j.Servers, issuer: platform}
	for _, file := range j.Keys {
		key, err := readKey(file.Kid, file.File)
		if err != nil {
			return nil, err
		}
		stub.keys = append(stub.keys, key)
	}
	handler := stub.handler()
	current.Store(&handler)
	return stub, nil
}

// newSDK gives the same client to every job that asks for nothing special: making one makes RSA keys.
var newSDK = sync.OnceValues(func() (*sdk.SDK, error) { return makeSDK() })

func makeSDK(more ...sdk.Option) (*sdk.SDK, error) {
	return sdk.New(platform, append(more,
		sdk.WithInsecurePlaintextConn(),
		sdk.WithOAuthAccessTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "stub", TokenType: "DPoP"})),
		sdk.WithLogger(slog.New(slog.DiscardHandler)))...)
}

func (s *stubKAS) find(kid string) (kasKey, error) {
	for _, key := range s.keys {
		if key.kid == kid {
			return key, nil
		}
	}
	return kasKey{}, fmt.Errorf("no key %q", kid)
}

// recipientOptions says who may open the file. One recipient without a kid leaves it to the SDK to fetch a key from the KAS.
func (s *stubKAS) recipientOptions(j job) ([]sdk.TDFOption, error) {
	if j.Any {
		return s.anyOf(j.To)
	}
	var servers []sdk.KASInfo
	for _, to := range j.To {
		info := sdk.KASInfo{URL: to.URL, Default: true}
		if to.Kid != "" {
			key, err := s.find(to.Kid)
			if err != nil {
				return nil, err
			}
			info.KID, info.PublicKey, info.Algorithm = key.kid, key.public, string(key.algorithm)
		}
		servers = append(servers, info)
	}
	options := []sdk.TDFOption{sdk.WithKasInformation(servers...)}
	if len(j.Attributes) > 0 {
		// Without this the SDK asks the platform's policy service, which the stub has not, which servers the attributes call for.
		options = append(options, sdk.WithDataAttributes(j.Attributes...), sdk.WithAutoconfigure(false))
	}
	return options, nil
}

// anyOf makes a policy whose one attribute has a value for each recipient and the rule "any of them".
func (s *stubKAS) anyOf(to []recipient) ([]sdk.TDFOption, error) {
	algorithms := map[ocrypto.KeyType]policy.Algorithm{
		ocrypto.RSA2048Key: policy.Algorithm_ALGORITHM_RSA_2048,
		ocrypto.RSA4096Key: policy.Algorithm_ALGORITHM_RSA_4096,
		ocrypto.EC256Key:   policy.Algorithm_ALGORITHM_EC_P256,
		ocrypto.EC384Key:   policy.Algorithm_ALGORITHM_EC_P384,
		ocrypto.EC521Key:   policy.Algorithm_ALGORITHM_EC_P521,
	}
	const fqn = "https://example.com/attr/project"
	definition := &policy.Attribute{
		Fqn: fqn, Name: "project", Namespace: &policy.Namespace{Fqn: "https://example.com", Name: "example.com"},
		Rule: policy.AttributeRuleTypeEnum_ATTRIBUTE_RULE_TYPE_ENUM_ANY_OF,
	}
	var values []*policy.Value
	for i, to := range to {
		key, err := s.find(to.Kid)
		if err != nil {
			return nil, err
		}
		values = append(values, &policy.Value{
			Fqn: fmt.Sprintf("%s/value/p%d", fqn, i), Value: fmt.Sprintf("p%d", i), Attribute: definition,
			KasKeys: []*policy.SimpleKasKey{{
				KasUri:    to.URL,
				PublicKey: &policy.SimpleKasPublicKey{Algorithm: algorithms[key.algorithm], Kid: key.kid, Pem: key.public},
			}},
		})
	}
	return []sdk.TDFOption{sdk.WithDataAttributeValues(values...)}, nil
}

func encrypt(j job) (answer, error) {
	stub, err := newStub(j)
	if err != nil {
		return answer{}, err
	}
	client, err := newSDK()
	if j.NoKid {
		client, err = makeSDK(sdk.WithNoKIDInKAO())
	}
	if err != nil {
		return answer{}, err
	}
	options, err := stub.recipientOptions(j)
	if err != nil {
		return answer{}, err
	}
	if j.Wrap != "" {
		options = append(options, sdk.WithWrappingKeyAlg(ocrypto.KeyType(j.Wrap)))
	}
	if j.SegmentSize != 0 {
		options = append(options, sdk.WithSegmentSize(j.SegmentSize))
	}
	if j.MimeType != "" {
		options = append(options, sdk.WithMimeType(j.MimeType))
	}
	if j.Metadata != "" {
		options = append(options, sdk.WithMetaData(j.Metadata))
	}
	if j.SystemMetadata {
		options = append(options, sdk.WithSystemMetadataAssertion())
	}
	if j.Assertions != "" {
		assertions, err := readAssertions(j.Assertions)
		if err != nil {
			return answer{}, err
		}
		options = append(options, sdk.WithAssertions(assertions...))
	}
	options = append(options, sdk.WithTargetMode(j.TargetMode))

	in, err := os.Open(j.In)
	if err != nil {
		return answer{}, err
	}
	defer in.Close()
	var source io.Reader = in
	if j.Stream {
		source = struct{ io.Reader }{in}
	}
	out, err := os.Create(j.Out)
	if err != nil {
		return answer{}, err
	}
	if _, err := client.CreateTDF(out, source, options...); err != nil {
		out.Close()
		return answer{}, err
	}
	return answer{OK: true}, out.Close()
}

func decrypt(j job) (answer, error) {
	stub, err := newStub(j)
	if err != nil {
		return answer{}, err
	}
	client, err := newSDK()
	if err != nil {
		return answer{}, err
	}
	var options []sdk.TDFReaderOption
	if len(j.Servers) == 0 {
		options = append(options, sdk.WithIgnoreAllowlist(true))
	}
	if j.Session != "" {
		options = append(options, sdk.WithSessionKeyType(ocrypto.KeyType(j.Session)))
	}
	if j.NoVerify {
		options = append(options, sdk.WithDisableAssertionVerification(true))
	}
	if j.Schema {
		options = append(options, sdk.WithSchemaValidation(sdk.Strict))
	}
	if j.AssertionKeys != "" {
		keys, err := readVerificationKeys(j.AssertionKeys)
		if err != nil {
			return answer{}, err
		}
		options = append(options, sdk.WithAssertionVerificationKeys(keys))
	}
	in, err := os.Open(j.In)
	if err != nil {
		return answer{}, err
	}
	defer in.Close()
	reader, err := client.LoadTDF(in, options...)
	if err != nil {
		return answer{}, err
	}
	if err := reader.Init(context.Background()); err != nil {
		return answer{}, err
	}
	out, err := os.Create(j.Out)
	if err != nil {
		return answer{}, err
	}
	if err := copyPlaintext(out, reader, j); err != nil {
		return answer{}, errors.Join(err, out.Close(), os.Remove(j.Out))
	}
	metadata, err := reader.UnencryptedMetadata()
	if err != nil {
		return answer{}, err
	}
	attributes, err := reader.DataAttributes()
	if err != nil {
		return answer{}, err
	}
	return answer{OK: true, Metadata: string(metadata), Attributes: attributes, Rewraps: stub.rewraps}, out.Close()
}

func copyPlaintext(out io.Writer, reader *sdk.Reader, j job) error {
	if j.Length == 0 {
		_, err := reader.WriteTo(out)
		return err
	}
	part := make([]byte, j.Length)
	n, err := reader.ReadAt(part, j.Offset)
	if err != nil && err != io.EOF {
		return err
	}
	_, err = out.Write(part[:n])
	return err
}

type keyJSON struct {
	Alg string `json:"alg"`
	Key string `json:"key"` // HS256: these very characters; RS256: a PEM
}

func (k keyJSON) parse() (sdk.AssertionKey, error) {
	key := sdk.AssertionKey{Alg: sdk.AssertionKeyAlg(k.Alg), Key: []byte(k.Key)}
	if key.Alg != sdk.AssertionKeyAlgRS256 {
		return key, nil
	}
	block, _ := pem.Decode([]byte(k.Key))
	if block == nil {
		return key, fmt.Errorf("no PEM in the key of an assertion")
	}
	var err error
	if block.Type == "PUBLIC KEY" {
		key.Key, err = x509.ParsePKIXPublicKey(block.Bytes)
	} else {
		key.Key, err = parsePrivateKey(block.Bytes)
	}
	return key, err
}

func readAssertions(file string) ([]sdk.AssertionConfig, error) {
	var list []struct {
		sdk.Assertion
		SigningKey keyJSON `json:"signingKey"`
	}
	if err := readJSON(file, &list); err != nil {
		return nil, err
	}
	var configs []sdk.AssertionConfig
	for _, a := range list {
		config := sdk.AssertionConfig{
			ID: a.ID, Type: a.Type, Scope: a.Scope, AppliesToState: a.AppliesToState, Statement: a.Statement,
		}
		if a.SigningKey.Alg != "" {
			key, err := a.SigningKey.parse()
			if err != nil {
				return nil, err
			}
			config.SigningKey = key
		}
		configs = append(configs, config)
	}
	return configs, nil
}

func readVerificationKeys(file string) (sdk.AssertionVerificationKeys, error) {
	var form struct {
		Keys map[string]keyJSON `json:"keys"`
	}
	keys := sdk.AssertionVerificationKeys{Keys: map[string]sdk.AssertionKey{}}
	if err := readJSON(file, &form); err != nil {
		return keys, err
	}
	for id, text := range form.Keys {
		key, err := text.parse()
		if err != nil {
			return keys, err
		}
		keys.Keys[id] = key
	}
	return keys, nil
}

func readJSON(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/opentdf/platform/sdk" {
			return module.Path + " " + module.Version
		}
	}
	return "unknown"
}

func run(address net.Addr, j job) (answer, error) {
	switch j.Op {
	case "encrypt":
		return encrypt(j)
	case "decrypt":
		return decrypt(j)
	case "kas": // serve these keys until the next job, for a peer that asks over the loopback
		stub, err := newStub(j)
		if err == nil {
			stub.issuer = "http://" + address.String()
		}
		return answer{OK: err == nil, URL: "http://" + address.String()}, err
	case "version":
		return answer{OK: true, Version: version()}, nil
	}
	return answer{}, fmt.Errorf("unknown job %q", j.Op)
}

func main() {
	address, err := listen()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var j job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		done, err := run(address, j)
		if err != nil {
			done = answer{Error: err.Error()}
		}
		if err := out.Encode(done); err != nil {
			os.Exit(1)
		}
	}
}
