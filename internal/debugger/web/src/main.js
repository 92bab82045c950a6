import { render } from 'preact';
import { html } from './lib/html.js';
import { App } from './view/App.js';
import { start } from './state/start.js';
import './style/index.css';

const root = document.getElementById('app');
root.textContent = '';
render(html`<${App} />`, root);
start();
