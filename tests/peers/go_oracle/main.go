// Oracle built only from Debian packages: golang-go and golang-golang-x-mod-dev (GO111MODULE=off, GOPATH=/usr/share/gocode).
// Reads one JSON request per line on stdin, writes one JSON answer per line.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type req struct {
	Op                      string
	Leaves                  []string // hex leaf data (op root)
	Size, Index, Old        int64
	Root, OldRoot, LeafHash string
	Proof                   []string
	Note                    string // base64
	Vkeys                   []string
}

func h(s string) (o tlog.Hash) { b, _ := hex.DecodeString(s); copy(o[:], b); return }
func hs(p []string) (o []tlog.Hash) {
	for _, x := range p {
		o = append(o, h(x))
	}
	return
}

type st struct{ h []tlog.Hash }

func (s *st) ReadHashes(ix []int64) (o []tlog.Hash, e error) {
	for _, i := range ix {
		if i >= int64(len(s.h)) {
			return nil, fmt.Errorf("range")
		}
		o = append(o, s.h[i])
	}
	return
}
func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	s := &st{}
	n := int64(0)
	for in.Scan() {
		var q req
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			out.Encode(map[string]interface{}{"error": err.Error()})
			continue
		}
		a := map[string]interface{}{}
		var err error
		switch q.Op {
		case "append": // appends leaves to the current tree, answers size and root
			for _, l := range q.Leaves {
				d, _ := hex.DecodeString(l)
				x, e := tlog.StoredHashes(n, d, s)
				if e != nil {
					panic(e)
				}
				s.h = append(s.h, x...)
				n++
			}
			r, _ := tlog.TreeHash(n, s)
			a["size"], a["root"] = n, hex.EncodeToString(r[:])
		case "prove_record":
			p, e := tlog.ProveRecord(q.Size, q.Index, s)
			err = e
			var o []string
			for _, x := range p {
				o = append(o, hex.EncodeToString(x[:]))
			}
			a["proof"] = o
		case "prove_tree":
			p, e := tlog.ProveTree(q.Size, q.Old, s)
			err = e
			var o []string
			for _, x := range p {
				o = append(o, hex.EncodeToString(x[:]))
			}
			a["proof"] = o
		case "check_record":
			err = tlog.CheckRecord(hs(q.Proof), q.Size, h(q.Root), q.Index, h(q.LeafHash))
		case "check_tree":
			err = tlog.CheckTree(hs(q.Proof), q.Size, h(q.Root), q.Old, h(q.OldRoot))
		case "open":
			var vs []note.Verifier
			for _, v := range q.Vkeys {
				x, e := note.NewVerifier(v)
				if e != nil {
					err = e
					break
				}
				vs = append(vs, x)
			}
			if err == nil {
				b, _ := base64.StdEncoding.DecodeString(q.Note)
				var nn *note.Note
				nn, err = note.Open(b, note.VerifierList(vs...))
				if err == nil {
					a["text"] = base64.StdEncoding.EncodeToString([]byte(nn.Text))
				}
			}
		default:
			err = fmt.Errorf("unknown op")
		}
		a["ok"] = err == nil
		if err != nil {
			a["error"] = err.Error()
		}
		out.Encode(a)
	}
}
