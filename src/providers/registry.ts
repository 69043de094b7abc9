/** One line a provider: the only file that imports them. */
import { azure } from './azure.ts';
import { custom } from './custom.ts';
import { deepseek } from './deepseek.ts';
import { lingyi } from './lingyi.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import type { Provider } from './provider.ts';
import { siliconcloud } from './siliconcloud.ts';
import { volcano } from './volcano.ts';
import { xinference } from './xinference.ts';

export const providers: readonly Provider[] = [
  openai,
  azure,
  custom,
  openrouter,
  moonshot,
  lingyi,
  siliconcloud,
  mistral,
  deepseek,
  volcano,
  xinference,
];

const byType = new Map(providers.map((provider) => [provider.type, provider]));

/** The provider of a channel type, or undefined for a type that is not built. */
export const findProvider = (type: number): Provider | undefined => byType.get(type);
