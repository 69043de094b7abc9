/** The links to chat apps: a row each, with what it becomes. The text itself is a press away. */
import { checkLink, fillLink, LINK_MAX } from '@core/links.ts';
import { CircleX, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type ChatRow, chatRows, chatText } from './chat-rows.ts';
import type { OptionField } from './field.ts';
import { changedText } from './groups.ts';
import { OptionRow } from './option-block.tsx';
import { RowsOrText } from './rows-or-text.tsx';
import type { Settings } from './use-settings.ts';

const EMPTY: ChatRow = { name: '', link: '' };
/** Stands for a user's key. */
const KEY_SHOWN = 'sk-KEY';

interface ChatsBodyProps {
  fields: readonly OptionField[];
  settings: Settings;
}

/** What stands in the block of chat links: the rows, or their text. */
export function ChatsBody({ fields, settings }: ChatsBodyProps) {
  const { t } = useTranslation();
  const [asJson, setAsJson] = useState(false);
  const [field] = fields;
  if (!field) return null;
  const rows = chatRows(settings.text(field));
  return (
    <>
      <RowsOrText
        help={t('setting.chatsHelp')}
        asText={asJson || !rows}
        hasRows={rows !== null}
        onChange={setAsJson}
      />
      {asJson || !rows ? (
        <OptionRow field={field} settings={settings} unfolded />
      ) : (
        <ChatsGrid given={rows} field={field} settings={settings} />
      )}
    </>
  );
}

interface ChatsGridProps {
  given: ChatRow[];
  field: OptionField;
  settings: Settings;
}

function ChatsGrid({ given, field, settings }: ChatsGridProps) {
  const { t } = useTranslation();
  // Rows hold what is half written, which the text cannot; they count as long as the text is the one that they made.
  const [held, setHeld] = useState<{ text: string; rows: ChatRow[] } | null>(null);
  const rows = held !== null && held.text === settings.text(field) ? held.rows : given;
  const error = settings.error(field);
  const change = (next: ChatRow[]) => {
    const text = changedText(field.value, chatText(next));
    setHeld({ text, rows: next });
    settings.set(field, text);
  };
  return (
    <div className="border-b border-line px-4 py-3">
      <ul className="grid gap-3">
        {rows.map((row, index) => (
          <ChatLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name is what is being edited
            key={index}
            row={row}
            onChange={(next) => change(rows.map((one, at) => (at === index ? next : one)))}
            onRemove={() => change(rows.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      {error && (
        <p className="mt-2 flex gap-1.5 text-xs text-bad">
          <CircleX className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
          {error}
        </p>
      )}
      <Button variant="ghost" className="mt-2 -ml-2" onClick={() => change([...rows, EMPTY])}>
        <Plus aria-hidden="true" />
        {t('setting.chatAdd')}
      </Button>
    </div>
  );
}

interface ChatLineProps {
  row: ChatRow;
  onChange: (row: ChatRow) => void;
  onRemove: () => void;
}

function ChatLine({ row, onChange, onRemove }: ChatLineProps) {
  const { t } = useTranslation();
  const { status, origin, locale } = useBoot();
  const { name, link } = row;
  const fault = checkLink(link.trim());
  const filled = fillLink(link.trim(), { address: status.server_address || origin, key: KEY_SHOWN });
  return (
    <li>
      <div className="grid grid-cols-[10rem_minmax(0,1fr)_2rem] items-center gap-3 max-md:grid-cols-[minmax(0,1fr)_2.75rem]">
        <Input
          aria-label={t('setting.chatName')}
          placeholder={t('setting.chatName')}
          value={name}
          maxLength={60}
          autoComplete="off"
          onChange={(event) => onChange({ ...row, name: event.target.value })}
        />
        <Input
          aria-label={t('setting.chatLink')}
          placeholder="https://app.example.com/?key={key}&url={address}/v1"
          value={link}
          maxLength={LINK_MAX}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={fault !== null || undefined}
          className="font-mono text-xs! max-md:order-1 max-md:col-span-2"
          onChange={(event) => onChange({ ...row, link: event.target.value })}
        />
        <Button variant="ghost" size="icon" aria-label={t('setting.chatRemove', { name })} onClick={onRemove}>
          <X aria-hidden="true" />
        </Button>
      </div>
      {fault ? (
        <p className="mt-1 text-xs text-bad">{fault[locale]}</p>
      ) : (
        filled && <p className="mt-1 font-mono text-xs break-all text-muted">{filled}</p>
      )}
    </li>
  );
}
