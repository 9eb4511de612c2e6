// Tink for Go as a peer: one job per line on stdin, one answer per line on stdout (see ../interop.py for the jobs).
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
)

type job struct {
	Op             string   `json:"op"`
	Keyset         string   `json:"keyset"`
	Format         string   `json:"format"`
	Kek            string   `json:"kek"`
	Seal           string   `json:"seal"`
	In             string   `json:"in"`
	Out            string   `json:"out"`
	AssociatedData string   `json:"associated_data"`
	Templates      []string `json:"templates"`
	Primary        int      `json:"primary"`
}

type answer struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"`
	Broken bool   `json:"broken,omitempty"` // not an answer of Tink's: the driver stops
}

// broken marks errors of this program or of its surroundings.
type broken struct{ error }

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

func reader(format string, data []byte) keyset.Reader {
	if format == "json" {
		return keyset.NewJSONReader(bytes.NewReader(data))
	}
	return keyset.NewBinaryReader(bytes.NewReader(data))
}

func kekOf(path string) (tink.AEAD, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	handle, err := insecurecleartextkeyset.Read(reader("json", data))
	if err != nil {
		return nil, err
	}
	return aead.New(handle)
}

func load(j job) (*keyset.Handle, error) {
	data, err := os.ReadFile(j.Keyset)
	if err != nil {
		return nil, err
	}
	if j.Kek == "" {
		return insecurecleartextkeyset.Read(reader(j.Format, data))
	}
	kek, err := kekOf(j.Kek)
	if err != nil {
		return nil, err
	}
	return keyset.Read(reader(j.Format, data), kek)
}

// writeKeyset writes in the job's format, sealed under the keyset in the file kekPath if there is one.
func writeKeyset(handle *keyset.Handle, j job, kekPath string) error {
	var out bytes.Buffer
	var w keyset.Writer = keyset.NewBinaryWriter(&out)
	if j.Format == "json" {
		w = keyset.NewJSONWriter(&out)
	}
	if kekPath == "" {
		if err := insecurecleartextkeyset.Write(handle, w); err != nil {
			return err
		}
	} else {
		kek, err := kekOf(kekPath)
		if err != nil {
			return err
		}
		if err := handle.Write(w, kek); err != nil {
			return err
		}
	}
	return os.WriteFile(j.Out, out.Bytes(), 0o600)
}

func newKeyset(j job) error {
	manager := keyset.NewManager()
	for i, name := range j.Templates {
		template, ok := templates[name]
		if !ok {
			return broken{fmt.Errorf("no template %s", name)}
		}
		id, err := manager.Add(template())
		if err != nil {
			return err
		}
		if i == j.Primary {
			if err := manager.SetPrimary(id); err != nil {
				return err
			}
		}
	}
	handle, err := manager.Handle()
	if err != nil {
		return err
	}
	return writeKeyset(handle, j, j.Kek)
}

func newKek(j job) error {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return err
	}
	return writeKeyset(handle, j, "")
}

func primitive(j job) (tink.StreamingAEAD, []byte, error) {
	handle, err := load(j)
	if err != nil {
		return nil, nil, err
	}
	associatedData, err := hex.DecodeString(j.AssociatedData)
	if err != nil {
		return nil, nil, err
	}
	p, err := streamingaead.New(handle)
	return p, associatedData, err
}

func encrypt(j job) error {
	p, associatedData, err := primitive(j)
	if err != nil {
		return err
	}
	plaintext, err := os.ReadFile(j.In)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := p.NewEncryptingWriter(&out, associatedData)
	if err != nil {
		return err
	}
	if _, err := w.Write(plaintext); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(j.Out, out.Bytes(), 0o600)
}

func decrypt(j job) error {
	p, associatedData, err := primitive(j)
	if err != nil {
		return err
	}
	ciphertext, err := os.Open(j.In)
	if err != nil {
		return err
	}
	defer ciphertext.Close()
	r, err := p.NewDecryptingReader(ciphertext, associatedData)
	if err != nil {
		return err
	}
	plaintext, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return os.WriteFile(j.Out, plaintext, 0o600)
}

func run(j job) error {
	switch j.Op {
	case "new_keyset":
		return newKeyset(j)
	case "new_kek":
		return newKek(j)
	case "reseal":
		handle, err := load(j)
		if err != nil {
			return err
		}
		return writeKeyset(handle, j, j.Seal)
	case "encrypt":
		return encrypt(j)
	case "decrypt":
		return decrypt(j)
	case "check_keyset":
		_, _, err := primitive(j)
		return err
	}
	return broken{fmt.Errorf("no job %q", j.Op)}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var j job
		err := json.Unmarshal(in.Bytes(), &j)
		if err != nil {
			err = broken{err}
		} else {
			err = run(j)
		}
		a := answer{OK: err == nil}
		if err != nil {
			a.Error = err.Error()
			var path *os.PathError
			a.Broken = errors.As(err, new(broken)) || errors.As(err, &path)
		}
		if out.Encode(a) != nil {
			os.Exit(1)
		}
	}
	if in.Err() != nil {
		fmt.Fprintln(os.Stderr, in.Err())
		os.Exit(1)
	}
}
