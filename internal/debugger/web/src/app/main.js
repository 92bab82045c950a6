// The view of one call, for hosts with MCP Apps: the page's graph and steps, without a server of its own.
import { render } from 'preact';
import { html } from '../lib/html.js';
import { begin, about } from './call.js';
import { View } from './View.js';
import './style.css';

// The wheel moves the conversation around the view, unless it enlarges the graph or the view has the whole screen.
addEventListener('wheel', (e) => {
  if (!e.ctrlKey && !e.metaKey && about.value.displayMode !== 'fullscreen') e.stopPropagation();
}, { capture: true, passive: true });

render(html`<${View} />`, document.getElementById('app'));
begin();
