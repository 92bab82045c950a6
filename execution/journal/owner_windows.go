package journal

import "io/fs"

// ownerOf is not known there: access is by lists, which the directory of a user has.
func ownerOf(fs.FileInfo) (uid int, isKnown bool) { return 0, false }
