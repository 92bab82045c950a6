//go:build !unix

package files

// NoFollow is a flag of os.OpenFile that refuses symbolic links; there is none here.
const NoFollow = 0
