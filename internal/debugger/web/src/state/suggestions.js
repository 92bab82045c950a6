import { get, post } from '../lib/api.js';
import { loadSource, source } from './project.js';

// suggestions reads the tools that are suggested for the file.
export const suggestions = async () => (await get('suggestions')).suggestions;

// take adds a drafted tool to the file, and gives what prevents it; empty when it is saved.
export async function take(draft) {
  try {
    const answer = await post('suggestions', { draft, version: source.value.version });
    if (answer.outcome === 'saved') {
      await loadSource();
      return '';
    }
    return answer.outcome === 'errors' ? `with it the file would have errors: ${answer.errors}` : 'another program has changed the file; open this again';
  } catch (e) {
    return [e.message, e.hint].filter(Boolean).join('; ');
  }
}
