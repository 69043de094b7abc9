/** The two sides of the playground: the conversation, and the program that would have it. */
import { Notice } from '@/components/ui/notice.tsx';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type ChatErrors, chatSample } from './chat.ts';
import { ChatSettings } from './chat-settings.tsx';
import { CodeTabs } from './code-tabs.tsx';
import { Conversation } from './conversation.tsx';
import type { Groups } from './token.ts';
import type { Chat } from './use-chat.ts';
import type { ChatChoice } from './use-chat-settings.ts';

interface ChatTabsProps {
  chat: Chat;
  choice: ChatChoice;
  errors: ChatErrors;
  groups: Groups;
  onRetry: () => void;
  onSample: (() => void) | undefined;
}

export function ChatTabs({ chat, choice, errors, groups, onRetry, onSample }: ChatTabsProps) {
  const { t } = useTranslation();
  const { origin } = useBoot();
  const { settings, models, change, failure } = choice;
  const sample = chatSample(settings, chat.turns, { origin, question: t('chat.sample') });
  return (
    <Tabs defaultValue="chat">
      <TabsList aria-label={t('chat.view')} className="mb-4">
        <TabsTrigger value="chat">{t('chat.tab')}</TabsTrigger>
        <TabsTrigger value="code">{t('chat.code')}</TabsTrigger>
      </TabsList>
      <TabsContent value="chat" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <ChatSettings settings={settings} errors={errors} models={models} groups={groups} onChange={change} />
        <div role="alert" className="empty:hidden">
          {failure !== null && <Notice tone={errorTone(failure)}>{errorText(failure, t)}</Notice>}
        </div>
        <Conversation turns={chat.turns} pending={chat.pending} onRetry={onRetry} onSample={onSample} />
      </TabsContent>
      <TabsContent value="code" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-sm text-muted">{t('chat.codeHelp')}</p>
        <CodeTabs sample={sample} />
      </TabsContent>
    </Tabs>
  );
}
