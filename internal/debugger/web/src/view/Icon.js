import { html } from '../lib/html.js';

const shapes = {
  run: 'M5 3.2v9.6l7.6-4.8z',
  debug: 'M3 3v10M6.2 3.6v8.8l6.6-4.4z',
  pause: 'M5.2 3.4v9.2M10.8 3.4v9.2',
  step: 'M3 4.2v7.6l5.4-3.8zM12 3.6v8.8',
  into: 'M8 2.8v7.4M4.8 7.2 8 10.4l3.2-3.2M3.6 13.2h8.8',
  out: 'M8 10.6V3.2M4.8 6.2 8 3l3.2 3.2M3.6 13.2h8.8',
  stop: 'M4 4h8v8H4z',
  until: 'M3 8h7M7.4 5.2 10.2 8l-2.8 2.8M13 3.4v9.2',
  help: 'M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.8v.2',
  data: 'M3 3h10v5H3zM5 11h6M5 13.4h4',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  plus: 'M8 3.6v8.8M3.6 8h8.8',
  minus: 'M3.6 8h8.8',
  close: 'm4.4 4.4 7.2 7.2M11.6 4.4l-7.2 7.2',
  auto: 'M8 2.8a5.2 5.2 0 1 0 0 10.4zM8 2.8a5.2 5.2 0 0 1 0 10.4',
  dark: 'M12.6 9.6A5.2 5.2 0 0 1 6.4 3.4a5.2 5.2 0 1 0 6.2 6.2z',
  light: 'M8 5.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M8 1.8v1M8 13.2v1M1.8 8h1M13.2 8h1M3.6 3.6l.7.7M11.7 11.7l.7.7M12.4 3.6l-.7.7M4.3 11.7l-.7.7',
  again: 'M12.6 6.4A5 5 0 1 0 13 9M12.8 3.2v3.4H9.4',
  edit: 'M3.4 12.6 4 10l6.6-6.6 2 2L6 12z',
  file: 'M4.2 2.6h4.6l3 3v7.8H4.2zM8.6 2.8v3h3',
  copy: 'M5.6 5.6V3.2h7.2v7.2h-2.4M3.2 5.6h7.2v7.2H3.2z',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3 3',
  download: 'M8 2.8v7.4M4.8 7.2 8 10.4l3.2-3.2M3.2 13.2h9.6',
  table: 'M2.8 3.4h10.4v9.2H2.8zM2.8 6.6h10.4M2.8 9.6h10.4M6.4 6.6v6',
  tree: 'M3.2 3.6h4M5 3.6v8.6M5 7.8h3M5 12.2h3M10 7.8h3M10 12.2h3',
  path: 'M6 3.6H3.2v8.8H6M10 3.6h2.8v8.8H10M6.4 8h3.2',
  back: 'M9.8 3.8 5.6 8l4.2 4.2',
  forward: 'M6.2 3.8 10.4 8l-4.2 4.2',
  up: 'M8 12.8V3.6M4.6 7 8 3.6 11.4 7',
  down: 'M8 3.2v9.2M4.6 9 8 12.4 11.4 9',
  link: 'M6.6 9.4 9.4 6.6M7.4 4.8l1.2-1.2a2.7 2.7 0 0 1 3.8 3.8l-1.2 1.2M8.6 11.2l-1.2 1.2a2.7 2.7 0 0 1-3.8-3.8l1.2-1.2',
  end: 'M5 3.8 9.2 8 5 12.2M11.6 3.8v8.4',
};

const solid = new Set(['run', 'stop']);

export const Icon = ({ name }) => html`
  <svg class=${solid.has(name) ? 'icon solid' : 'icon'} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${shapes[name]} /></svg>`;
