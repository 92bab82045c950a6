package config

// ParseData reads free-form YAML or JSON, with the caps and rules of graph files but
// no form to keep to; path is what the bytes are called. The error is Diagnostics.
func ParseData(path string, src []byte) (*Data, error) {
	root, found := readItems(path, src)
	if root == nil {
		return nil, sorted(found)
	}
	d := &decoder{path: path, file: &File{Path: path, Secrets: &Secrets{}}, found: found}
	data := d.data(root)
	return data, sorted(d.found).Err()
}

// LoadData is ParseData for the file at path, which is read with the caps of graph
// files. The error is fs.ErrNotExist when there is none.
func LoadData(path string) (*Data, error) {
	src, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseData(path, src)
}
