import { moonshotBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const moonshot = openaiCompatible({
  type: 25,
  slug: 'moonshot',
  label: 'Moonshot',
  systemRoleOnly: true,
  baseUrl: 'https://api.moonshot.cn',
  models: [
    'kimi-latest',
    'kimi-k2-0905-preview',
    'kimi-k2-turbo-preview',
    'kimi-k2-thinking',
    'kimi-k2.5',
    'kimi-k3.1-pro',
    'moonshot-v1-8k',
    'moonshot-v1-32k',
    'moonshot-v1-128k',
    'moonshot-v1-auto',
    'moonshot-v1-8k-vision-preview',
  ],
  operations: ['chat'],
  balance: moonshotBalance,
  messagesPath: '/anthropic/v1/messages',
  extensions: ['reasoning_content'],
  adjustBody(body) {
    // The range of the temperature ends at 1 here, at 2 with OpenAI.
    if (typeof body.temperature === 'number' && body.temperature > 1) body.temperature = 1;
    return body;
  },
});
