package sqlite

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// slotFile is the file of a lease, which has slots of slotSize bytes each. Where the system can, it is mapped into memory, block by
// block: writing a slot is not a call of the system then, and survives the process as that does. Safe for concurrent use, each slot
// by one goroutine at a time.
type slotFile struct {
	file *os.File

	mu     sync.RWMutex // guards what follows; a block is not unmapped while someone writes to it
	closed bool
	blocks [][]byte // nil: its slots are written by calls of the system
}

const (
	slotsOfBlock = 64
	blockSize    = slotsOfBlock * slotSize // bytes: a multiple of the size of a page, on every system
	mostBlocks   = 32                      // mapped; a process with more open calls is rare
)

// write writes the beginning of a slot. A process that is killed meanwhile leaves the slot without a first byte, if it had none
// before: text is there wholly or not at all.
func (f *slotFile) write(slot int, text []byte) error {
	if f.copy(slot, text) {
		return nil
	}
	_, err := f.file.WriteAt(text, int64(slot)*slotSize)
	return err
}

// copy writes the beginning of a slot that is mapped, and reports whether it has: not where the file became shorter, or the disk is
// full, which a mapped file says by a fault.
func (f *slotFile) copy(slot int, text []byte) (ok bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	n := slot / slotsOfBlock
	if n >= len(f.blocks) || f.blocks[n] == nil {
		return false
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, isFault := fault.(runtime.Error); !isFault {
				panic(fault)
			}
			ok = false
		}
	}()
	to := f.blocks[n][slot%slotsOfBlock*slotSize:][:slotSize]
	copy(to[1:], text[1:])
	to[0] = text[0]
	return true
}

// reserve maps the block of a slot, if it is the next one.
func (f *slotFile) reserve(slot int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := len(f.blocks); n*slotsOfBlock <= slot && n < mostBlocks && !f.closed; n++ {
		f.blocks = append(f.blocks, mapBlock(f.file, int64(n)*blockSize))
	}
}

// hasName reports whether the file can be found under a name; false also where that is not known.
func (f *slotFile) hasName() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return !f.closed && hasName(f.file)
}

// close unmaps the file and ends what remove does with it.
func (f *slotFile) close(end func(*os.File)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, block := range f.blocks {
		unmap(block)
	}
	f.blocks, f.closed = nil, true
	end(f.file)
}
