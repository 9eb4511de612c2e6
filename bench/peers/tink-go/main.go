// The cell of bench/cells/record.cc for tink-go: one small record through its streaming AEAD, from memory to memory, with
// a primitive that is made once. Options in as NAME=VALUE, one line of JSON out.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
)

var templates = map[string]func() *tinkpb.KeyTemplate{
	"AES128_GCM_HKDF_4KB":        streamingaead.AES128GCMHKDF4KBKeyTemplate,
	"AES128_GCM_HKDF_1MB":        streamingaead.AES128GCMHKDF1MBKeyTemplate,
	"AES256_GCM_HKDF_4KB":        streamingaead.AES256GCMHKDF4KBKeyTemplate,
	"AES256_GCM_HKDF_1MB":        streamingaead.AES256GCMHKDF1MBKeyTemplate,
	"AES128_CTR_HMAC_SHA256_4KB": streamingaead.AES128CTRHMACSHA256Segment4KBKeyTemplate,
	"AES128_CTR_HMAC_SHA256_1MB": streamingaead.AES128CTRHMACSHA256Segment1MBKeyTemplate,
	"AES256_CTR_HMAC_SHA256_4KB": streamingaead.AES256CTRHMACSHA256Segment4KBKeyTemplate,
	"AES256_CTR_HMAC_SHA256_1MB": streamingaead.AES256CTRHMACSHA256Segment1MBKeyTemplate,
}

var associatedData = []byte("associated data")

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "tink-go:", err)
		os.Exit(1)
	}
}

func encrypt(primitive tink.StreamingAEAD, plaintext []byte, out *bytes.Buffer) {
	out.Reset()
	w, err := primitive.NewEncryptingWriter(out, associatedData)
	check(err)
	_, err = w.Write(plaintext)
	check(err)
	check(w.Close())
}

func decrypt(primitive tink.StreamingAEAD, ciphertext []byte, out *bytes.Buffer) {
	out.Reset()
	r, err := primitive.NewDecryptingReader(bytes.NewReader(ciphertext), associatedData)
	check(err)
	_, err = io.Copy(out, r)
	check(err)
}

type measurement struct {
	Ns             float64 `json:"ns"`
	Allocations    float64 `json:"allocations"`
	BytesAllocated float64 `json:"bytes_allocated"`
}

func measure(target time.Duration, op func()) measurement {
	run := func(times int) time.Duration {
		start := time.Now()
		for i := 0; i < times; i++ {
			op()
		}
		return time.Since(start)
	}
	times := 1
	spent := run(times)
	for spent < target/4 {
		times *= 2
		spent = run(times)
	}
	times = int(float64(times)*float64(target)/float64(spent)) + 1
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	spent = run(times)
	runtime.ReadMemStats(&after)
	n := float64(times)
	return measurement{
		Ns:             float64(spent.Nanoseconds()) / n,
		Allocations:    float64(after.Mallocs-before.Mallocs) / n,
		BytesAllocated: float64(after.TotalAlloc-before.TotalAlloc) / n,
	}
}

func printVersion() {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if strings.HasPrefix(dep.Path, "github.com/tink-crypto/tink-go") {
			fmt.Printf("%s, %s\n", strings.TrimPrefix(dep.Version, "v"), strings.Replace(info.GoVersion, "go", "Go ", 1))
		}
	}
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		printVersion()
		return
	}
	options := map[string]string{}
	for _, argument := range os.Args[1:] {
		name, value, _ := strings.Cut(argument, "=")
		options[name] = value
	}
	template, ok := templates[options["template"]]
	if !ok {
		check(fmt.Errorf("no such template: %q", options["template"]))
	}
	size, err := strconv.Atoi(options["size"])
	check(err)
	seconds, err := strconv.ParseFloat(options["seconds"], 64)
	check(err)
	target := time.Duration(seconds * float64(time.Second))

	handle, err := keyset.NewHandle(template())
	check(err)
	primitive, err := streamingaead.New(handle)
	check(err)
	plaintext := bytes.Repeat([]byte{'x'}, size)
	var sealed, out bytes.Buffer
	encrypt(primitive, plaintext, &sealed)
	decrypt(primitive, sealed.Bytes(), &out)
	if !bytes.Equal(out.Bytes(), plaintext) {
		check(fmt.Errorf("does not decrypt"))
	}

	var result measurement
	switch options["direction"] {
	case "encrypt":
		result = measure(target, func() { encrypt(primitive, plaintext, &out) })
	case "decrypt":
		result = measure(target, func() { decrypt(primitive, sealed.Bytes(), &out) })
	default:
		check(fmt.Errorf("no such direction: %q", options["direction"]))
	}
	check(json.NewEncoder(os.Stdout).Encode(result))
}
