/** Sensitive words. */
import { option } from './define.ts';

export const safety = {
  CheckSensitiveEnabled: option.boolean({
    default: true,
    place: { panel: 'operation', block: 'safety' },
    label: { zh: '启用屏蔽词过滤', en: 'Check for sensitive words' },
  }),
  CheckSensitiveOnPromptEnabled: option.boolean({
    default: true,
    place: { panel: 'operation', block: 'safety' },
    label: { zh: '检查提问', en: 'Check prompts' },
  }),
  CheckSensitiveOnCompletionEnabled: option.boolean({
    default: true,
    place: { panel: 'operation', block: 'safety' },
    label: { zh: '检查回答', en: 'Check answers' },
  }),
  StopOnSensitiveEnabled: option.boolean({
    default: true,
    place: { panel: 'operation', block: 'safety' },
    label: { zh: '回答命中屏蔽词时停止', en: 'Stop an answer at a sensitive word' },
    help: { zh: '关闭后以 * 代替', en: 'Off masks the word with *.' },
  }),
  StreamCacheQueueLength: option.integer({
    default: 0,
    max: 1_000,
    place: { panel: 'operation', block: 'safety' },
    label: { zh: '流式回答缓存的数据块数', en: 'Chunks held back from a stream' },
    help: {
      zh: '检查流式回答时推迟发送的数据块数，0 表示不推迟',
      en: 'How many chunks wait while a stream is checked; 0 holds none.',
    },
  }),
  SensitiveWords: option.lines({
    maxLines: 20_000,
    place: { panel: 'operation', block: 'safety' },
    label: { zh: '屏蔽词列表', en: 'Sensitive words' },
    help: { zh: '每行一个', en: 'One a line.' },
  }),
};
