import { deepseekBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const deepseek = openaiCompatible({
  type: 43,
  slug: 'deepseek',
  label: 'DeepSeek',
  systemRoleOnly: true,
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-flash', 'deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-chat', 'deepseek-reasoner'],
  operations: ['chat', 'completions'],
  balance: deepseekBalance,
  messagesPath: '/anthropic/v1/messages',
  paths: { completions: '/beta/completions' },
  extensions: ['reasoning_content', 'thinking'],
});
