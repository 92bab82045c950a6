package demo

import "toolgraph/expressions/value"

// Listing is the result of list_directory and find_files, sorted by name.
type Listing struct{ Entries []Entry }

// Entry is one file or directory of a listing.
type Entry struct {
	Name     string // find_files: the path below the directory of the request
	Type     string // "file", "directory" or "other"
	Size     int64  // bytes; 0 unless it is a file
	Modified string // RFC 3339; empty when it was deleted meanwhile
}

// Content is the result of read_file.
type Content struct {
	Content string
	Size    int64 // bytes
}

// Appended is the result of append_line.
type Appended struct {
	Bytes int // of the line, with its end
}

func (l Listing) value() value.Value {
	entries := make([]any, len(l.Entries))
	for i, e := range l.Entries {
		entries[i] = value.NewObject(
			[]string{"name", "type", "size", "modified"},
			[]value.Value{e.Name, e.Type, float64(e.Size), e.Modified},
		)
	}
	return value.NewObject([]string{"entries"}, []value.Value{entries})
}

func (c Content) value() value.Value {
	return value.NewObject([]string{"content", "size"}, []value.Value{c.Content, float64(c.Size)})
}

func (a Appended) value() value.Value {
	return value.NewObject([]string{"bytes"}, []value.Value{float64(a.Bytes)})
}

// valued is a result that converts to the value of a run.
type valued interface{ value() value.Value }
