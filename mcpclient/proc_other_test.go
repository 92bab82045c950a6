//go:build !unix

package mcpclient

// victimCommand and beVictim are for systems with process groups.
const victimCommand = "__victim"

func beVictim(string) {}
