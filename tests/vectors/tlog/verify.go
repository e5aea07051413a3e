// A stranger's verifier of our proofs: golang.org/x/mod's note and tlog, which know nothing of this project.
// usage: go run verify.go VKEY PROOF ; prints the origin and size of the checkpoint that the proof holds under
package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hash(text string) tlog.Hash {
	raw, err := base64.StdEncoding.DecodeString(text)
	must(err)
	var h tlog.Hash
	copy(h[:], raw)
	return h
}

func main() {
	data, err := os.ReadFile(os.Args[2])
	must(err)
	head, checkpoint, _ := strings.Cut(string(data), "\n\n")
	lines := strings.Split(head, "\n")
	extra, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	must(err)
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	must(err)
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		proof = append(proof, hash(line))
	}
	verifier, err := note.NewVerifier(os.Args[1])
	must(err)
	opened, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	must(err)
	body := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(body[1], 10, 64)
	must(err)
	must(tlog.CheckRecord(proof, size, hash(body[2]), index, tlog.RecordHash(extra)))
	fmt.Println(body[0], size)
}
