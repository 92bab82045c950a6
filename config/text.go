package config

// Text is a YAML string that knows its place, down to each byte of its value.
type Text struct {
	Value string
	Pos   Pos // where the scalar begins; for a block scalar, its | or >
}

// At is the place in the file of the byte at offset in Value. Offsets past the end
// give the place just after the last byte.
func (t Text) At(offset int) Pos { return t.Pos }

// IsSet reports whether the string stands in the file.
func (t Text) IsSet() bool { return t.Pos.IsValid() }
