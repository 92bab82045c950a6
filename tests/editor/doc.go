// Package editor tests graph files in editors. Neovim and Emacs, without a screen, use
// toolgraph lsp with the lines of docs/editors.md; the extension for VS Code is packed and
// its parts are tried; and the YAML language server, which most editors use, is driven with
// the JSON Schema. Each test is skipped where its editor, Node or a package cannot be had.
package editor
