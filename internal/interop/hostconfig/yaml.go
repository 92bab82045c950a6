package hostconfig

import (
	"errors"

	"toolgraph/config"
)

// readYAML returns the top level of a YAML file; that of an empty one has no keys.
func readYAML(path string, src []byte) (*config.Data, error) {
	if len(src) > config.MaxFileBytes {
		return nil, &placedError{config.Pos{File: path, Line: 1, Column: 1}, "the file is larger than 1 MiB, the maximum that toolgraph reads of this host; add the entry by hand"}
	}
	root, err := config.ParseData(path, src)
	if err != nil && isEmptyYAML(err) || root != nil && isNull(root) {
		return &config.Data{Kind: config.KindObject, Pos: config.Pos{File: path, Line: 1, Column: 1}}, nil
	}
	if err != nil {
		return nil, placed(err)
	}
	if root.Kind != config.KindObject {
		return nil, &placedError{root.Pos, "found a value that is not a mapping; expected the keys of a configuration"}
	}
	return root, nil
}

// placed returns the first finding of an error of package config as an error of a host's file, which
// is no error of a graph file.
func placed(err error) error {
	var found config.Diagnostics
	if !errors.As(err, &found) || len(found) == 0 {
		return err
	}
	text := found[0].Message
	if found[0].Hint != "" {
		text += "; " + found[0].Hint
	}
	return &placedError{found[0].Pos, text}
}

// isEmptyYAML reports whether an error of config.ParseData says that there is nothing but comments.
func isEmptyYAML(err error) bool {
	var found config.Diagnostics
	return errors.As(err, &found) && len(found) == 1 && found[0].Code == "empty-file"
}
