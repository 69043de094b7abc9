/**
 * Models that think before they answer and show nothing of it, or a summary: what they think is charged, and nobody sees
 * it grow. OpenAI's o series and GPT from 5 on but for the chat of 5 itself, its Codex and its use of computers; Gemini
 * from 2.5 on, under which its latest stand too; Grok from 4 on and its 3-mini; Perplexity's research. Each maker says so
 * in its guide to reasoning; models of others show their thoughts as they think them. OpenRouter's choice may be any.
 */
const UNSEEN = new RegExp(
  `(?:^|[/.:])(?:${[
    'o\\d(?!\\d)',
    'gpt-(?:5(?!.*chat)|5\\.\\d|[6-9]|\\d\\d)',
    'codex',
    'computer-use',
    'gemini-(?:2\\.5|[3-9]|[a-z-]+-latest)',
    'grok-(?:[4-9]|3-mini|code)',
    'sonar-deep-research',
    'openrouter/auto',
  ].join('|')})`,
  'i',
);

export const thinksUnseen = (model: string): boolean => UNSEEN.test(model);
