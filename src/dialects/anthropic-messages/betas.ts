/** Comma lists of Anthropic's betas, and which of them a caller may ask for. */
import { callersSet } from '../../core/callers-keys.ts';

/** Comma lists of betas as one, each once. Throws `invalid_request`. */
export const joinBetas = (...lists: readonly (string | null | undefined)[]): string =>
  [...callersSet(lists.flatMap((list) => (list ?? '').split(',')).map((beta) => beta.trim()))]
    .filter(Boolean)
    .join(',');

/**
 * Betas that callers may ask for, without their dates: none of them changes the price of a token. What does (`fast-mode`,
 * `context-1m`, whatever is yet to come) is the operator's choice, by the option `claude.model_headers_settings` or the
 * channel's own headers, together with its price.
 */
const CHEAP_BETAS: ReadonlySet<string> = new Set([
  'adaptive-thinking',
  'advanced-tool-use',
  'claude-code',
  'code-execution',
  'compact',
  'computer-use',
  'context-management',
  'dev-full-thinking',
  'effort',
  'extended-cache-ttl',
  'files-api',
  'fine-grained-tool-streaming',
  'interleaved-thinking',
  'max-tokens-3-5-sonnet',
  'mcp-client',
  'model-context-window-exceeded',
  'output-128k',
  'pdfs',
  'prompt-caching',
  'prompt-caching-scope',
  'redact-thinking',
  'search-results',
  'skills',
  'structured-outputs',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
  'tool-search-tool',
  'web-fetch',
  'web-search',
]);

const DATE = /-\d{4}-?\d{2}-?\d{2}$/;

/** Of a comma list of betas those that cost nothing. */
export const cheapBetas = (list: string | null): string =>
  joinBetas(list)
    .split(',')
    .filter((beta) => CHEAP_BETAS.has(beta.replace(DATE, '')))
    .join(',');
