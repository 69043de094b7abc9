import { type ReactNode, useMemo, useState } from 'react';
import { late } from '@/lib/late.tsx';
import type { Channel } from './channel.ts';
import type { ChannelTools } from './tools.ts';
import { useChannelActions } from './use-channel-actions.ts';
import { useManyActions } from './use-many-actions.ts';

const TestDialog = late(() => import('./test-dialog.tsx').then((module) => module.TestDialog));

/** What the cells can do, and the dialog that one of them opens. */
export function useChannelTools(tagView: boolean, probing: boolean): [ChannelTools, ReactNode] {
  const one = useChannelActions();
  const many = useManyActions();
  const [tested, setTested] = useState<Channel | null>(null);
  const tools = useMemo(
    (): ChannelTools => ({
      one,
      many,
      probing,
      testModels: setTested,
      tagView,
    }),
    [one, many, tagView, probing],
  );
  const dialog = tested && <TestDialog channel={tested} onClose={() => setTested(null)} />;
  return [tools, dialog];
}
