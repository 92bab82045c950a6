package lsp

// features are what the server can do for documents beside findings, each from a file of its own.
func features() []feature {
	return []feature{
		pullFeature,
		completionFeature,
		hoverFeature,
		signatureFeature,
		definitionFeature,
		renameFeature,
		symbolsFeature,
		actionFeature,
		tokensFeature,
		lensFeature,
		formatFeature,
		inlayFeature,
	}
}
