package lock

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// The versions of the file's format. The first had no seals, the first two had no capabilities. A
// reader rejects any other.
const (
	firstFormat  = 1
	secondFormat = 2
	version      = 3
)

// sealKey is the key of an entry's seal in the file.
const sealKey = "keptHash"

// taskSupportKey is the key of an entry whose tool can only be called as a task, with its only value.
const (
	taskSupportKey = "taskSupport"
	taskRequired   = "required"
)

// Write writes the lock to a file, as files.Write does. A new file may be read by all
// users, since it is committed and has no secrets. A file with the same content is not
// touched.
func (l *Lock) Write(path string, links files.Links) error {
	content := l.Encode()
	if _, err := config.ParseData(path, content); err != nil {
		return fmt.Errorf("the lock is too large for one file, because it could not be read again: %w; split the graph file", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			return nil
		}
	}
	return files.Write(path, content, 0o644, links)
}

// Encode returns the content of the lock's file. Equal locks have equal bytes.
func (l *Lock) Encode() []byte {
	const head = "# The upstream tools of the graph file, as their servers listed them when they were locked.\n" +
		"# Written by `toolgraph lock`; commit it beside the graph, and do not edit it.\n"
	servers := map[string]any{}
	tools := map[string]map[string]any{}
	for _, e := range l.Entries {
		if tools[e.Server] == nil {
			tools[e.Server] = map[string]any{}
			servers[e.Server] = map[string]any{"identity": e.Identity, "tools": tools[e.Server]}
		}
		tools[e.Server][e.Tool] = e.plain()
	}
	root := &config.Data{Kind: config.KindObject}
	add := func(key string, item *config.Data) {
		root.Keys, root.Items = append(root.Keys, config.Text{Value: key}), append(root.Items, item)
	}
	format := secondFormat
	if l.Capabilities != nil {
		format = version
	}
	add("version", &config.Data{Scalar: float64(format)})
	if l.Capabilities != nil {
		add(capabilitiesKey, dataOf(plainCapabilities(l.Capabilities)))
	}
	add("servers", dataOf(servers))
	return append([]byte(head), config.EncodeData(root)...)
}

// plain returns the entry as plain JSON.
func (e Entry) plain() map[string]any {
	out := map[string]any{"hash": e.Hash}
	for name, text := range e.texts() {
		if *text != "" {
			out[name] = *text
		}
	}
	for _, name := range documents {
		if v, err := value.Decode(*e.document(name)); err == nil { // it is JSON or missing
			out[name] = value.Plain(v)
		}
	}
	var omitted []any
	for _, name := range e.Omitted {
		omitted = append(omitted, name)
	}
	if omitted != nil {
		out["omitted"] = omitted
	}
	if e.Seal != "" {
		out[sealKey] = e.Seal
	}
	if e.TaskRequired {
		out[taskSupportKey] = taskRequired
	}
	if e.Learned > 0 {
		out["learned"], out["answers"] = true, float64(e.Learned)
	}
	return out
}

// Load reads a lock from a file. The error is fs.ErrNotExist when the file does not exist,
// and config.Diagnostics when it is not in the format that `toolgraph lock` writes, or
// contradicts itself.
func Load(path string) (*Lock, error) {
	src, err := config.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Parse is Load for the content of a file; path is its name in findings.
func Parse(path string, src []byte) (*Lock, error) {
	data, err := config.ParseData(path, src)
	if err != nil {
		return nil, err
	}
	l, edited, err := read(filepath.Base(path), data)
	if err == nil {
		err = edited.Err()
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// LoadToReplace is Load for a lock that is about to be written again: entries that do not
// match their hashes are returned as findings, and are not an error.
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

// reader reads a lock and collects its errors.
type reader struct {
	found  config.Diagnostics
	edited config.Diagnostics // entries that contradict themselves
}

func (r *reader) bad(pos config.Pos, format string, args ...any) {
	r.found.Add(pos, "bad-lock", fmt.Sprintf(format, args...), "delete the file and run toolgraph lock, which writes it")
}

func (r *reader) lock(name string, data *config.Data) *Lock {
	if r.object(data, "the lock", "version", capabilitiesKey, "servers"); len(r.found) > 0 {
		return nil
	}
	v := data.Get("version")
	format, _ := v.Value().(float64)
	if format != firstFormat && format != secondFormat && format != version {
		r.bad(cmp.Or(v, data).Pos, "the version of the lock is %s, expected %d, %d or %d", v.JSON(), firstFormat, secondFormat, version)
		return nil
	}
	var entries []Entry
	servers := data.Get("servers")
	for i, server := range r.object(servers, "servers") {
		who := fmt.Sprintf("server %q", servers.Keys[i].Value)
		r.object(server, who, "identity", "tools")
		tools := server.Get("tools")
		for j, tool := range r.object(tools, "tools of "+who) {
			e := r.entry(tool, fmt.Sprintf("tool %q of %s", tools.Keys[j].Value, who))
			e.Server, e.Tool = servers.Keys[i].Value, tools.Keys[j].Value
			e.Identity = r.text(server, "identity", who)
			r.verify(tool, &e, int(format))
			entries = append(entries, e)
		}
	}
	l := Of(name, entries...)
	l.Capabilities = r.capabilities(data.Get(capabilitiesKey))
	if l.Capabilities == nil && format == version {
		r.bad(data.Pos, "the lock has no %s", capabilitiesKey)
	}
	return l
}

// verify reports an entry that does not match its hash. An entry of the first format that
// passes gets its missing seal.
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

var wholeHash = wording.Pattern(`^` + hashPrefix + `[0-9a-f]{64}$`)

func (r *reader) entry(d *config.Data, who string) Entry {
	r.object(d, who, append([]string{"hash", "omitted", sealKey, taskSupportKey, "learned", "answers"}, pinnedParts...)...)
	e := Entry{Hash: r.text(d, "hash", who), Seal: r.text(d, sealKey, who)}
	for name, sum := range map[string]string{"hash": e.Hash, sealKey: cmp.Or(e.Seal, e.Hash)} {
		if !wholeHash().MatchString(sum) {
			r.bad(d.Pos, "the %s of %s is %q, expected %s and 64 hex digits", name, who, sum, hashPrefix)
		}
	}
	for name, text := range e.texts() {
		*text = r.text(d, name, who)
	}
	for _, name := range documents {
		if part := d.Get(name); part != nil {
			*e.document(name) = part.JSON()
		}
	}
	if support := r.text(d, taskSupportKey, who); support != "" {
		if e.TaskRequired = support == taskRequired; !e.TaskRequired {
			r.bad(d.At(taskSupportKey).Pos, "the %s of %s is %q, expected %s", taskSupportKey, who, support, taskRequired)
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
			r.bad(learned.Pos, "%s has learned without a number of answers, expected answers beside learned: true", who)
		}
		e.Learned = int(n)
	}
	return e
}

// object returns the items of an object and reports other data, and, unless all keys are
// allowed, unknown keys. A missing one has no items.
func (r *reader) object(d *config.Data, who string, known ...string) []*config.Data {
	if d == nil {
		return nil
	}
	if d.Kind != config.KindObject {
		r.bad(d.Pos, "%s is not a mapping", who)
		return nil
	}
	for _, key := range d.Keys {
		if known != nil && !slices.Contains(known, key.Value) {
			r.bad(key.Pos, "%s has the unknown key %q", who, key.Value)
		}
	}
	return d.Items
}

func (r *reader) text(d *config.Data, key, who string) string {
	item := d.Get(key)
	if item == nil {
		return ""
	}
	text, ok := item.Scalar.(string)
	if !ok {
		r.bad(item.Pos, "%s of %s is not a string", key, who)
	}
	return text
}
