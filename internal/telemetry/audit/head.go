package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"toolgraph/internal/base/files"
)

// head is the content of FILE.head: how many lines the log has, over all its files, and the hash
// of the last one. The log may have more lines already, never fewer.
type head struct {
	Lines int64  `json:"lines"`
	Hash  string `json:"hash"`
}

// maxHead bounds the head file.
const maxHead = 4 << 10

func writeHead(path string, last mark) error {
	src, err := json.Marshal(head{Lines: last.N, Hash: last.Hash})
	if err != nil {
		return err
	}
	return files.Replace(path+headSuffix, append(src, '\n'), 0o600)
}

// readHead reads the head of the log at path. The error wraps fs.ErrNotExist when there is none.
func readHead(path string) (mark, error) {
	f, err := os.Open(path + headSuffix)
	if err != nil {
		return mark{}, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return mark{}, err
	}
	h := head{Lines: -1}
	if err := json.Unmarshal(src, &h); err != nil || h.Lines < 0 {
		return mark{}, fmt.Errorf("%s%s has no number of lines and hash", path, headSuffix)
	}
	return mark{h.Lines, h.Hash}, nil
}
