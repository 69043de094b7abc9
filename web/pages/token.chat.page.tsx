/** The playground: a conversation with a model under the console's session, charged to the account's balance. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs.tsx';
import { chatErrors, chatOptions, messagesOf, type ChatSettings as Settings } from '@/features/token/chat.ts';
import { ChatSettings } from '@/features/token/chat-settings.tsx';
import { CodeTabs } from '@/features/token/code-tabs.tsx';
import { Composer } from '@/features/token/composer.tsx';
import { Conversation } from '@/features/token/conversation.tsx';
import { useChat } from '@/features/token/use-chat.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token/chat');
const list = getRouteApi('/_console/token');

export function TokenChatDrawer() {
  const { t } = useTranslation();
  const first = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const { origin } = useBoot();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const message = useRef<HTMLTextAreaElement>(null);
  const [models, setModels] = useState<readonly string[]>(first.models);
  const [settings, setSettings] = useState<Settings>({
    model: first.models[0] ?? '',
    group: first.group,
    system: '',
    temperature: '',
    maxTokens: '',
    answer: 'streamed',
  });
  const chat = useChat();
  const errors = chatErrors(settings);
  const ready = settings.model !== '' && Object.keys(errors).length === 0;

  /** Another group has other models. */
  const chooseGroup = useAction(async (group: string) => {
    const names = await api.get('/api/user/models', { query: { group } });
    setModels(names);
    setSettings((now) => ({
      ...now,
      group,
      model: names.includes(now.model) ? now.model : (names[0] ?? ''),
    }));
  });

  const change = ({ group, ...others }: Partial<Settings>) => {
    if (group !== undefined) void chooseGroup.run(group);
    else setSettings((now) => ({ ...now, ...others }));
  };

  const send = async (question: string) => {
    // The button that was pressed gives its place to another.
    message.current?.focus();
    await chat.send(question, settings);
    // The balance beside it is another now.
    void router.invalidate({ filter: ({ routeId }) => routeId === '__root__' });
  };

  const last = chat.turns.at(-1);
  const sample = {
    origin,
    model: settings.model || 'gpt-4o',
    streamed: settings.answer === 'streamed',
    key: null,
    // The call that brought the last answer, or would bring the first.
    messages: messagesOf(settings, chat.turns.slice(0, -1), last?.question ?? t('chat.sample')),
    more: chatOptions(settings),
  };

  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          message.current?.focus();
        }}
        // A conversation is kept nowhere else.
        onInteractOutside={(event) => chat.turns.length > 0 && event.preventDefault()}
      >
        <DrawerHead title={t('chat.title')} sub={t('chat.sub')} />
        <DrawerBody data-form className="group/form" aria-label={t('chat.title')}>
          <Tabs defaultValue="chat">
            <TabsList aria-label={t('chat.view')} className="mb-4">
              <TabsTrigger value="chat">{t('chat.tab')}</TabsTrigger>
              <TabsTrigger value="code">{t('chat.code')}</TabsTrigger>
            </TabsList>
            <TabsContent value="chat" className="grid grid-cols-[minmax(0,1fr)] gap-4">
              <ChatSettings
                settings={settings}
                errors={errors}
                models={models}
                groups={groups}
                onChange={change}
              />
              <div role="alert" className="empty:hidden">
                {chooseGroup.error !== null && (
                  <Notice tone={errorTone(chooseGroup.error)}>{errorText(chooseGroup.error, t)}</Notice>
                )}
              </div>
              <Conversation turns={chat.turns} pending={chat.pending} />
            </TabsContent>
            <TabsContent value="code" className="grid grid-cols-[minmax(0,1fr)] gap-4">
              <p className="text-sm text-muted">{t('chat.codeHelp')}</p>
              <CodeTabs sample={sample} />
            </TabsContent>
          </Tabs>
        </DrawerBody>
        <DrawerFoot className="items-end">
          {chat.turns.length > 0 && (
            <Button
              size="icon"
              variant="ghost"
              className="mb-1 max-md:mb-0"
              aria-label={t('chat.clear')}
              title={t('chat.clear')}
              onClick={() => {
                chat.clear();
                message.current?.focus();
              }}
            >
              <Trash2 aria-hidden="true" />
            </Button>
          )}
          <Composer
            ref={message}
            pending={chat.pending}
            ready={ready}
            onSend={(question) => void send(question)}
            onStop={chat.stop}
          />
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}
