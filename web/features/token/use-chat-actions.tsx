/** Opening a chat app with a token: the operator's links in the menu of each row. */
import { fillLink, isWebLink, linkTarget } from '@core/links.ts';
import { MessageSquare } from 'lucide-react';
import { useConfirm } from '@/components/confirm.tsx';
import type { MenuAction } from '@/components/menu-action.ts';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { keptChats } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { revealKey } from './calls.ts';
import { readChatLinks } from './chat-links.ts';
import type { Token } from './token.ts';

/** Stands for the key until it is known that it is wanted. */
const NO_KEY = 'sk-';

export function useChatActions(token: Token): MenuAction[] {
  const { t } = useTranslation();
  const api = useApi();
  const confirm = useConfirm();
  const { status, origin, keysShownOnce } = useBoot();
  const address = (status.server_address || origin).replace(/\/+$/, '');
  const failed = (text: string) => notify({ tone: 'bad', text });

  const open = async (name: string): Promise<void> => {
    const links = readChatLinks(keptChats() ?? JSON.stringify(status.chats));
    if (links === null) return failed(t('token.chatUnread'));
    const link = links.find((one) => one.name === name)?.link ?? '';
    const shown = fillLink(link, { address, key: NO_KEY });
    if (shown === null) return failed(t('token.chatBad'));
    const target = linkTarget(shown);
    /** The browser keeps new tabs shut: this page stays, and he presses a link of his own. */
    const offer = (href: string) =>
      confirm({
        title: t('token.chatBlocked'),
        body: (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {target}
          </a>
        ),
        action: t('app.close'),
      });
    if (!link.includes('{key}')) {
      if (!leave(shown, newTabFor(shown))) await offer(shown);
      return;
    }
    let blocked: string | null = null;
    await confirm({
      title: t('token.chatTitle', { name: token.name, target }),
      body: t('token.chatBody', { target }),
      action: t('token.chatOpen'),
      async work() {
        // Opened by the press itself: after the call a browser would take it for a window that nobody asked for.
        const tab = newTabFor(shown);
        try {
          const filled = fillLink(link, { address, key: await revealKey(api, token.id) });
          if (filled !== null && !leave(filled, tab)) blocked = filled;
        } catch (error) {
          tab?.close();
          throw error;
        }
      },
    });
    if (blocked !== null) await offer(blocked);
  };

  return status.chats
    .flatMap((entry) => Object.entries(entry))
    .map(([name, link]) => ({
      label: t('token.chatIn', { name }),
      icon: MessageSquare,
      obstacle: keysShownOnce && link.includes('{key}') ? t('token.keyHidden') : undefined,
      run: () => void open(name),
    }));
}

/** Null for an app, and where the browser lets none be opened. */
const newTabFor = (address: string): Window | null => (isWebLink(address) ? window.open('', '_blank') : null);

/**
 * Leads the new tab there, which knows nothing of this page; an app is called from here, and the page stays. False for a
 * page of the web that has no tab: this one is never led away with a key.
 */
function leave(address: string, tab: Window | null): boolean {
  if (tab !== null) {
    tab.opener = null;
    tab.location.replace(address);
  } else if (isWebLink(address)) return false;
  else window.location.assign(address);
  return true;
}
