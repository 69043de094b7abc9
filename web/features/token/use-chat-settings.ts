/** Whom the playground asks, and how, while it is being chosen. */
import { useState } from 'react';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import type { ChatSettings } from './chat.ts';

interface First {
  /** The account's own. */
  group: string;
  /** Of that group. */
  models: readonly string[];
}

export interface ChatChoice {
  settings: ChatSettings;
  /** Of the chosen group. */
  models: readonly string[];
  change: (change: Partial<ChatSettings>) => void;
  /** Why the models of another group did not come; null while nothing is wrong. */
  failure: unknown;
}

export function useChatSettings(first: First): ChatChoice {
  const api = useApi();
  const [models, setModels] = useState(first.models);
  const [settings, setSettings] = useState<ChatSettings>({
    model: first.models[0] ?? '',
    group: first.group,
    system: '',
    temperature: '',
    maxTokens: '',
    answer: 'streamed',
  });
  /** Another group has other models. */
  const chooseGroup = useAction(async (group: string) => {
    const names = await api.get('/api/user/models', { query: { group, sold: 'true' } });
    setModels(names);
    setSettings((now) => ({
      ...now,
      group,
      model: names.includes(now.model) ? now.model : (names[0] ?? ''),
    }));
  });
  const change = ({ group, ...others }: Partial<ChatSettings>) => {
    if (group !== undefined) void chooseGroup.run(group);
    else setSettings((now) => ({ ...now, ...others }));
  };
  return { models, settings, change, failure: chooseGroup.error };
}
