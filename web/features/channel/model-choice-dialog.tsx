/** What an upstream lists, to be chosen from: found by a part of the name, with what is new and what has no price marked. */
import { Search } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { afterChoice, type Choosable, choosable, firstChoice } from './model-choice.ts';

export interface ModelChoiceProps {
  /** What the upstream lists. */
  listed: readonly string[];
  /** What the channel has. */
  chosen: readonly string[];
  unpriced: readonly string[];
  onChoose: (models: string[]) => void;
  onClose: () => void;
}

export function ModelChoice({ onChoose, onClose, ...known }: ModelChoiceProps) {
  const { t } = useTranslation();
  const countId = useId();
  const { listed, chosen, unpriced } = known;
  const all = useMemo(() => choosable({ listed, chosen, unpriced }), [listed, chosen, unpriced]);
  const [ticked, setTicked] = useState(() => firstChoice(known));
  const [text, setText] = useState('');
  const shown = all.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const tick = (models: readonly Choosable[], on: boolean) =>
    setTicked((old) => {
      const next = new Set(old);
      for (const { name } of models) on ? next.add(name) : next.delete(name);
      return next;
    });
  const fresh = all.filter(({ isNew }) => isNew).length;

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="top-[8vh] flex max-h-[84vh] w-[560px] flex-col overflow-hidden">
        <DialogTitle className="mb-1.5">{t('channel.choiceTitle')}</DialogTitle>
        <DialogDescription>{t('channel.choiceHelp', { total: listed.length, n: fresh })}</DialogDescription>
        <div className="relative mt-4">
          <Search
            className="pointer-events-none absolute top-1/2 left-[9px] -translate-y-1/2 text-faint"
            aria-hidden="true"
          />
          <Input
            type="search"
            aria-label={t('channel.choiceSearch')}
            placeholder={t('channel.choiceSearch')}
            value={text}
            className="pl-[31px]"
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <div className="mt-2 flex gap-x-3.5 text-xs max-md:gap-x-5 max-md:leading-8">
          <LinkButton onClick={() => tick(shown, true)}>{t('channel.choiceAll')}</LinkButton>
          <LinkButton onClick={() => tick(shown, false)}>{t('channel.choiceNone')}</LinkButton>
          <span id={countId} role="status" className="ml-auto text-muted tabular-nums">
            {t('channel.modelsChosen', { count: ticked.size })}
          </span>
        </div>
        <ul
          aria-label={t('channel.models')}
          className="mt-2 min-h-0 flex-1 overflow-y-auto rounded-md border border-line empty:hidden"
        >
          {shown.map((model) => (
            <li key={model.name} className="border-line not-last:border-b">
              <label className="flex min-h-9 cursor-pointer items-center gap-2.5 px-3 py-1 text-sm hover:bg-hover max-md:min-h-11">
                <Checkbox
                  aria-label={model.name}
                  checked={ticked.has(model.name)}
                  onChange={(event) => tick([model], event.target.checked)}
                />
                <span className="min-w-0 flex-1 wrap-anywhere">{model.name}</span>
                <Marks model={model} />
              </label>
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p className="py-4 text-sm text-muted">{t('channel.choiceEmpty')}</p>}
        <DialogActions>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          <Button variant="primary" onClick={() => onChoose(afterChoice(known, ticked))}>
            {t('channel.choiceTake', { count: ticked.size })}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}

function Marks({ model: { isNew, isUnlisted, isUnpriced } }: { model: Choosable }) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap justify-end gap-1">
      {isNew && <Tag tone="hot">{t('channel.choiceNew')}</Tag>}
      {isUnlisted && <Tag>{t('channel.choiceUnlisted')}</Tag>}
      {isUnpriced && <Tag tone="warn">{t('hub.unpriced')}</Tag>}
    </span>
  );
}
