/** The playground: a conversation with a model under the console's session, charged to the account's balance. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { chatErrors, picturesOf } from '@/features/token/chat.ts';
import { ChatTabs } from '@/features/token/chat-tabs.tsx';
import { Composer } from '@/features/token/composer.tsx';
import { useChat } from '@/features/token/use-chat.ts';
import { useChatSettings } from '@/features/token/use-chat-settings.ts';
import { usePictures } from '@/features/token/use-pictures.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token/chat');
const list = getRouteApi('/_console/token');

export function TokenChatDrawer() {
  const { t } = useTranslation();
  const first = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const router = useRouter();
  const close = useCloseDrawer();
  const message = useRef<HTMLTextAreaElement>(null);
  const choice = useChatSettings(first);
  const { settings } = choice;
  const chat = useChat();
  const pictures = usePictures(picturesOf(chat.turns));
  const errors = chatErrors(settings);
  const ready = settings.model !== '' && Object.keys(errors).length === 0;

  const run = async (answered: () => Promise<void>) => {
    // The button that was pressed gives its place to another.
    message.current?.focus();
    await answered();
    // The balance beside it is another now.
    void router.invalidate({ filter: ({ routeId }) => routeId === '__root__' });
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
        {...pictures.drop}
      >
        <DrawerHead title={t('chat.title')} sub={t('chat.sub')} />
        <DrawerBody data-form className="group/form" aria-label={t('chat.title')}>
          <ChatTabs
            chat={chat}
            choice={choice}
            errors={errors}
            groups={groups}
            onRetry={() => void run(() => chat.retry(settings))}
            onSample={
              ready
                ? () => void run(() => chat.send({ text: t('chat.sample'), pictures: [] }, settings))
                : undefined
            }
          />
        </DrawerBody>
        <DrawerFoot className="items-end">
          <Composer
            ref={message}
            pictures={pictures}
            pending={chat.pending}
            ready={ready}
            onSend={(question) => void run(() => chat.send(question, settings))}
            onStop={chat.stop}
          >
            {chat.turns.length > 0 && (
              <ClearButton
                onClick={() => {
                  chat.clear();
                  message.current?.focus();
                }}
              />
            )}
          </Composer>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}

function ClearButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  const text = t('chat.clear');
  return (
    <Button
      size="icon"
      variant="ghost"
      className="mb-1 max-md:mb-0"
      aria-label={text}
      title={text}
      onClick={onClick}
    >
      <Trash2 aria-hidden="true" />
    </Button>
  );
}
