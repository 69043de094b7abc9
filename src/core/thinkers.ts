/**
 * Models that think before they answer and show nothing of it, or a summary: what they think is charged, and nobody sees
 * it grow. OpenAI's o series and GPT from 5 on but for its chats, its Codex; Gemini from 2.5 on; Grok from 4 on and its
 * 3-mini. Each maker says so in its guide to reasoning; models of others show their thoughts as they think them.
 */
const UNSEEN =
  /(?:^|[/.:])(?:o\d(?!\d)|gpt-(?:[5-9]|\d\d)(?!.*chat)|codex|gemini-(?:2\.5|[3-9])|grok-(?:[4-9]|3-mini|code))/i;

export const thinksUnseen = (model: string): boolean => UNSEEN.test(model);
