package lock

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"toolgraph/config"
)

var wholeHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + hashPrefix + `[0-9a-f]{64}$`) })

// Load reads a lock. The error is fs.ErrNotExist when there is none, and
// config.Diagnostics when it is not what `toolgraph lock` writes, or contradicts itself.
func Load(path string) (*Lock, error) {
	l, edited, err := LoadToReplace(path)
	if err == nil {
		err = edited.Err()
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// LoadToReplace is Load for a lock that is about to be written again: entries that do not
// have what their hashes are of come with it as findings, and are not its error.
func LoadToReplace(path string) (l *Lock, edited config.Diagnostics, err error) {
	data, err := config.LoadData(path)
	if err != nil {
		return nil, nil, err
	}
	return read(filepath.Base(path), data)
}

func read(name string, data *config.Data) (*Lock, config.Diagnostics, error) {
	r := &reader{}
	l := r.lock(name, data)
	if err := r.found.Err(); err != nil {
		return nil, nil, err
	}
	r.edited.Sort()
	return l, r.edited, nil
}

// reader reads a lock and notes what is wrong with it.
type reader struct {
	found  config.Diagnostics
	edited config.Diagnostics // entries that contradict themselves
}

func (r *reader) bad(at *config.Data, format string, args ...any) {
	r.found.Add(at.Pos, "bad-lock", fmt.Sprintf(format, args...), "delete the file and run toolgraph lock, which writes it")
}

func (r *reader) lock(name string, data *config.Data) *Lock {
	if r.keys(data, "the lock", "version", "servers"); len(r.found) > 0 {
		return nil
	}
	v := data.Get("version")
	format, _ := v.Value().(float64)
	if format != firstFormat && format != version {
		at := v
		if at == nil {
			at = data
		}
		r.bad(at, "the version of the lock is %s, expected %d or %d", v.JSON(), firstFormat, version)
		return nil
	}
	var entries []Entry
	servers := data.Get("servers")
	for i, server := range r.object(servers, "servers") {
		who := fmt.Sprintf("server %q", servers.Keys[i].Value)
		r.keys(server, who, "identity", "tools")
		tools := server.Get("tools")
		for j, tool := range r.object(tools, "tools of "+who) {
			e := r.entry(tool, fmt.Sprintf("tool %q of %s", tools.Keys[j].Value, who))
			e.Server, e.Tool = servers.Keys[i].Value, tools.Keys[j].Value
			e.Identity = r.text(server, "identity", who)
			r.verify(tool, &e, int(format))
			entries = append(entries, e)
		}
	}
	return Of(name, entries...)
}

// verify notes an entry that does not have what its hash is of. One of the first format
// that passes gets the seal that it lacks.
func (r *reader) verify(d *config.Data, e *Entry, format int) {
	if !e.consistent(format) {
		r.edited.Add(d.At("hash").Pos, "lock-edited",
			fmt.Sprintf("the lock contradicts itself: the definition of tool %q of server %q does not match its hash, so it was edited after toolgraph lock wrote it", e.Tool, e.Server),
			"undo the edit, or run toolgraph lock, which asks the server again")
	}
	if e.Seal == "" && hashOf(e.Identity, e.Tool, e.parts()) != e.Hash {
		e.Seal = e.seal()
	}
}

func (r *reader) entry(d *config.Data, who string) Entry {
	r.keys(d, who, "hash", title, description, inputSchema, outputSchema, annotations, "omitted", sealKey, "learned", "answers")
	e := Entry{Hash: r.text(d, "hash", who), Seal: r.text(d, sealKey, who), Title: r.text(d, title, who), Description: r.text(d, description, who)}
	for name, sum := range map[string]string{"hash": e.Hash, sealKey: cmp.Or(e.Seal, e.Hash)} {
		if !wholeHash().MatchString(sum) {
			r.bad(d, "the %s of %s is %q, expected %s and 64 hex digits", name, who, sum, hashPrefix)
		}
	}
	for name, kept := range map[string]*[]byte{inputSchema: &e.Input, outputSchema: &e.Output, annotations: &e.Annotations} {
		if part := d.Get(name); part != nil {
			*kept = part.JSON()
		}
	}
	if omitted := d.Get("omitted"); omitted != nil {
		for _, item := range omitted.Items {
			if name, ok := item.Scalar.(string); ok {
				e.Omitted = append(e.Omitted, name)
			}
		}
	}
	if learned := d.Get("learned"); learned != nil {
		n, ok := d.At("answers").Scalar.(float64)
		if learned.Scalar != true || !ok || n < 1 || n > math.MaxInt32 {
			r.bad(learned, "%s is learned from no number of answers, expected answers beside learned: true", who)
		}
		e.Learned = int(n)
	}
	return e
}

// object are the items of an object, none when it is something else.
func (r *reader) object(d *config.Data, what string) []*config.Data {
	if d == nil || d.Kind != config.KindObject {
		if d != nil {
			r.bad(d, "%s is no mapping, expected one of names", what)
		}
		return nil
	}
	return d.Items
}

// keys checks that it is an object with no other keys.
func (r *reader) keys(d *config.Data, who string, known ...string) {
	if d.Kind != config.KindObject {
		r.bad(d, "%s is no mapping", who)
		return
	}
	for i, key := range d.Keys {
		if !slices.Contains(known, key.Value) {
			r.bad(&config.Data{Pos: d.Keys[i].Pos}, "%s has the unknown key %q", who, key.Value)
		}
	}
}

func (r *reader) text(d *config.Data, key, who string) string {
	item := d.Get(key)
	if item == nil {
		return ""
	}
	text, ok := item.Scalar.(string)
	if !ok {
		r.bad(item, "%s of %s is no text", key, who)
	}
	return text
}
