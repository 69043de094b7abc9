/** Chooses users: found by name, mailbox or id, or by ids that are pasted. */

import { canActOn } from '@core/roles.ts';
import { useEffect, useId, useState } from 'react';
import { ChipBox } from '@/components/chip-box.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { isCancelled, type User } from '@/features/user/user.ts';
import { errorText } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { TYPING_MS } from '@/lib/typing.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isWhole } from '@/lib/whole.ts';

export interface Picked {
  id: number;
  /** Empty for one whose id was pasted. */
  name: string;
}

interface UserPickerProps {
  /** Of the field by which users are found. */
  id: string;
  value: readonly Picked[];
  onChange: (value: Picked[]) => void;
  error: string | undefined;
}

export function UserPicker({ id, value, onChange, error }: UserPickerProps) {
  const { t } = useTranslation();
  const chosen = new Map(value.map((one) => [labelOf(one), one]));
  return (
    <>
      <Finder id={id} value={value} onChange={onChange} error={error} />
      <PastedIds value={value} onChange={onChange} />
      {value.length > 0 && (
        <section aria-label={t('activity.chosen')}>
          <ChipBox
            value={[...chosen.keys()]}
            onRemove={(label) => onChange(value.filter((one) => labelOf(one) !== label))}
            invalid={false}
          >
            {null}
          </ChipBox>
        </section>
      )}
    </>
  );
}

const labelOf = ({ id, name }: Picked): string => (name ? `${name} #${id}` : `#${id}`);

const FOUND_MAX = 100;

function Finder({ id, value, onChange, error }: UserPickerProps) {
  const { t } = useTranslation();
  const api = useApi();
  const viewer = useBoot().user;
  const [keyword, setKeyword] = useState('');
  const [found, setFound] = useState<User[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    const mayReward = (user: User) => viewer !== null && canActOn(viewer, user) && !isCancelled(user);
    let isLatest = true;
    const search = async () => {
      try {
        const query = { keyword: keyword.trim(), p: 1, page_size: FOUND_MAX };
        const { items } = await api.get('/api/user/search', { query });
        if (isLatest) setFound(items.filter(mayReward));
        if (isLatest) setFailure(null);
      } catch (reason) {
        if (isLatest) setFailure(reason);
      }
    };
    const timer = setTimeout(() => void search(), keyword === '' ? 0 : TYPING_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [api, keyword, viewer]);
  const isChosen = (user: User) => value.some((one) => one.id === user.id);
  const toggle = (user: User) =>
    onChange(
      isChosen(user)
        ? value.filter((one) => one.id !== user.id)
        : [...value, { id: user.id, name: user.username }],
    );
  const missing = found.filter((user) => !isChosen(user));
  const addAll = () => onChange([...value, ...missing.map((user) => ({ id: user.id, name: user.username }))]);
  return (
    <Field
      id={id}
      label={t('activity.find')}
      error={error ?? (failure === null ? undefined : errorText(failure, t))}
      end={
        missing.length > 0 && (
          <Button variant="ghost" size="sm" onClick={addAll}>
            {t('activity.chooseAll', { count: missing.length })}
          </Button>
        )
      }
    >
      <Input
        id={id}
        type="search"
        value={keyword}
        placeholder={t('activity.findHint')}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setKeyword(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && event.preventDefault()}
      />
      <ul
        aria-label={t('activity.found')}
        className="max-h-60 overflow-y-auto rounded-sm border border-line text-sm"
      >
        {found.map((user) => (
          <li key={user.id} className="not-last:border-b not-last:border-line">
            <label className="flex min-h-9 items-center gap-2.5 px-2.5 hover:bg-hover max-md:min-h-11">
              <Checkbox checked={isChosen(user)} onChange={() => toggle(user)} />
              <span className="min-w-0 flex-1 truncate">{user.username}</span>
              <span className="truncate text-xs text-muted">{user.email}</span>
              <span className="font-mono text-xs text-muted">#{user.id}</span>
            </label>
          </li>
        ))}
        {found.length === 0 && <li className="px-2.5 py-2 text-muted">{t('activity.foundNone')}</li>}
      </ul>
    </Field>
  );
}

function PastedIds({ value, onChange }: Pick<UserPickerProps, 'value' | 'onChange'>) {
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const add = () => {
    const parts = text.split(/[\s,;，；、#]+/).filter(Boolean);
    const ids = parts.map(Number);
    if (ids.length === 0 || !parts.every((part) => isWhole(part)) || ids.includes(0)) {
      setWrong(true);
      return;
    }
    const known = new Set(value.map((one) => one.id));
    const added = [...new Set(ids)].filter((one) => !known.has(one));
    onChange([...value, ...added.map((one) => ({ id: one, name: '' }))]);
    setText('');
    setWrong(false);
  };
  return (
    <Field
      id={id}
      label={t('activity.paste')}
      help={t('activity.pasteHelp')}
      error={isWrong ? t('activity.pasteBad') : undefined}
    >
      <div className="flex gap-2">
        <Input
          id={id}
          value={text}
          inputMode="numeric"
          autoComplete="off"
          aria-invalid={isWrong || undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            add();
          }}
        />
        <Button className="h-auto" onClick={add}>
          {t('activity.addIds')}
        </Button>
      </div>
    </Field>
  );
}
