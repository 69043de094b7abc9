/** How editors and command lines are told to use this site: a settings file, variables, or what is typed into a form. */
import { baseUrl, KEY_VARIABLE, type SampleInput, shellQuoted } from './code-samples.ts';

export interface AppSample {
  name: string;
  /** Where it belongs. */
  head: string;
  text: (input: SampleInput) => string;
}

const keyIn = ({ key }: SampleInput): string => (key === null ? `"$${KEY_VARIABLE}"` : shellQuoted(key));

/** https://docs.anthropic.com/en/docs/claude-code/settings#environment-variables */
const claudeCode = (input: SampleInput): string =>
  [
    `export ANTHROPIC_BASE_URL=${shellQuoted(input.origin)}`,
    `export ANTHROPIC_AUTH_TOKEN=${keyIn(input)}`,
    `export ANTHROPIC_MODEL=${shellQuoted(input.model)}`,
    `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${shellQuoted(input.model)}`,
    'claude',
  ].join('\n');

/** https://github.com/openai/codex/blob/main/docs/config.md#model_providers; texts of JSON are texts of TOML too. */
const codex = ({ origin, model, key }: SampleInput): string =>
  [
    `model = ${JSON.stringify(model)}`,
    'model_provider = "tollgate"',
    '',
    '[model_providers.tollgate]',
    'name = "Tollgate"',
    `base_url = ${JSON.stringify(baseUrl(origin))}`,
    'wire_api = "responses"',
    ...(key === null
      ? [`env_key = "${KEY_VARIABLE}"`]
      : [`http_headers = { "Authorization" = ${JSON.stringify(`Bearer ${key}`)} }`]),
  ].join('\n');

/** Says that a key is the way in: without it, it takes another address for one that wants no key, and refuses to start. */
const GEMINI_SETTINGS = '{"security":{"auth":{"selectedType":"gemini-api-key"}}}';

/** The variables of the SDK that it is built on, and its own settings where there are none yet. */
const geminiCli = (input: SampleInput): string =>
  [
    'mkdir -p ~/.gemini',
    `test -e ~/.gemini/settings.json || echo ${shellQuoted(GEMINI_SETTINGS)} > ~/.gemini/settings.json`,
    `export GOOGLE_GEMINI_BASE_URL=${shellQuoted(input.origin)}`,
    `export GEMINI_API_KEY=${keyIn(input)}`,
    `gemini -m ${shellQuoted(input.model)}`,
  ].join('\n');

const shownKey = ({ key }: SampleInput): string => key ?? `$${KEY_VARIABLE}`;

const cline = (input: SampleInput): string =>
  [
    'API Provider: OpenAI Compatible',
    `Base URL: ${baseUrl(input.origin)}`,
    `OpenAI Compatible API Key: ${shownKey(input)}`,
    `Model ID: ${input.model}`,
  ].join('\n');

const cursor = (input: SampleInput): string =>
  [
    `OpenAI API Key: ${shownKey(input)}`,
    `Override OpenAI Base URL: ${baseUrl(input.origin)}`,
    `Add Custom Model: ${input.model}`,
  ].join('\n');

export const appSamples: readonly AppSample[] = [
  { name: 'Claude Code', head: 'Shell', text: claudeCode },
  { name: 'Codex', head: '~/.codex/config.toml', text: codex },
  { name: 'Gemini CLI', head: 'Shell', text: geminiCli },
  { name: 'Cline', head: 'Settings → API Configuration', text: cline },
  { name: 'Cursor', head: 'Settings → Models → API Keys', text: cursor },
];
