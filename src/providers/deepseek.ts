import { deepseekBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const deepseek = openaiCompatible({
  type: 43,
  slug: 'deepseek',
  label: 'DeepSeek',
  systemRoleOnly: true,
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-chat', 'deepseek-reasoner', 'deepseek-v4-flash', 'deepseek-v4-pro'],
  operations: ['chat', 'completions'],
  balance: deepseekBalance,
  messagesPath: '/anthropic/v1/messages',
  paths: { completions: '/beta/completions' },
  extensions: ['reasoning_content', 'thinking'],
});
