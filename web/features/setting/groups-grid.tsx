/** The groups of users: a row each, over the two options that hold them. The texts themselves are a press away. */
import { CircleX, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { Input } from '@/components/ui/input.tsx';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isJson, type OptionField } from './field.ts';
import {
  changedText,
  FIRST_GROUP,
  type GroupRow,
  type GroupTexts,
  groupRows,
  groupTexts,
  isRatio,
  isTwice,
} from './groups.ts';
import { OptionRow } from './option-block.tsx';
import { RowsOrText } from './rows-or-text.tsx';
import type { Settings } from './use-settings.ts';

const RATIOS = 'GroupRatio';
const USABLE = 'UserUsableGroups';

interface GroupsBodyProps {
  fields: readonly OptionField[];
  settings: Settings;
}

/** What stands in the block of groups: the grid or its two texts, and the other options. */
export function GroupsBody({ fields, settings }: GroupsBodyProps) {
  const { t } = useTranslation();
  const [asJson, setAsJson] = useState(false);
  const ratios = fields.find(({ key }) => key === RATIOS);
  const usable = fields.find(({ key }) => key === USABLE);
  if (!ratios || !usable)
    return fields.map((field) => <OptionRow key={field.key} field={field} settings={settings} />);
  const rows = groupRows({ ratios: settings.text(ratios), usable: settings.text(usable) });
  const others = fields.filter((field) => field !== ratios && field !== usable);
  return (
    <>
      <RowsOrText
        help={t('setting.groupsHelp')}
        asText={asJson || !rows}
        hasRows={rows !== null}
        onChange={setAsJson}
      />
      {asJson || !rows ? (
        [ratios, usable].map((field) => (
          <OptionRow key={field.key} field={field} settings={settings} unfolded />
        ))
      ) : (
        <GroupsGrid given={rows} ratios={ratios} usable={usable} settings={settings} />
      )}
      {others.map((field) => (
        <OptionRow key={field.key} field={field} settings={settings} />
      ))}
    </>
  );
}

interface GroupsGridProps {
  given: GroupRow[];
  ratios: OptionField;
  usable: OptionField;
  settings: Settings;
}

const NEW: GroupRow = { name: '', ratio: '1', description: '', usable: false, isNew: true };

const namesIn = ({ value }: OptionField): string[] => (isJson(value) ? Object.keys(JSON.parse(value)) : []);

function GroupsGrid({ given, ratios, usable, settings }: GroupsGridProps) {
  const { t } = useTranslation();
  // Rows hold what is half written, which the texts cannot; they count as long as the texts are those that they made.
  const [held, setHeld] = useState<(GroupTexts & { rows: GroupRow[] }) | null>(null);
  const isOurs =
    held !== null && held.ratios === settings.text(ratios) && held.usable === settings.text(usable);
  const rows = isOurs ? held.rows : given;
  const isSaved = settings.changed([ratios, usable]).length === 0;
  const stored = new Set([...namesIn(ratios), ...namesIn(usable)]);
  const errors = [ratios, usable].flatMap((field) => settings.error(field) ?? []);

  const change = (next: GroupRow[]) => {
    const texts = groupTexts(next);
    const kept = {
      ratios: changedText(ratios.value, texts.ratios),
      usable: changedText(usable.value, texts.usable),
    };
    setHeld({ ...kept, rows: next });
    settings.set(ratios, kept.ratios);
    settings.set(usable, kept.usable);
  };
  return (
    <div className="border-b border-line px-4 py-3">
      <div
        aria-hidden="true"
        className="mb-1 grid grid-cols-(--groups) gap-3 text-xs font-medium text-muted max-md:hidden"
        style={COLUMNS}
      >
        <span>{t('setting.group')}</span>
        <span className="text-right">{t('setting.groupRatio')}</span>
        <span>{t('setting.groupUsable')}</span>
        <span>{t('setting.groupDescription')}</span>
      </div>
      <ul className="grid gap-2 max-md:gap-3">
        {rows.map((row, index) => (
          <GroupLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name is what is being edited
            key={index}
            row={row}
            isStored={!row.isNew || (isSaved && stored.has(row.name.trim()) && !isTwice(rows, index))}
            twice={isTwice(rows, index)}
            onChange={(next) => change(rows.map((one, at) => (at === index ? next : one)))}
            onRemove={() => change(rows.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      {errors.map((error) => (
        <p key={error} className="mt-2 flex gap-1.5 text-xs text-bad">
          <CircleX className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
          {error}
        </p>
      ))}
      <Button variant="ghost" className="mt-2 -ml-2" onClick={() => change([...rows, NEW])}>
        <Plus aria-hidden="true" />
        {t('setting.groupAdd')}
      </Button>
    </div>
  );
}

/** Name, ratio, whether users may choose it, what they read, and the button that takes it away. */
const COLUMNS = { '--groups': 'minmax(0,11rem) 6rem 8rem minmax(0,1fr) 2rem' } as React.CSSProperties;

interface GroupLineProps {
  row: GroupRow;
  /** Users, channels and keys may be in it, so that its name stays. */
  isStored: boolean;
  /** A row above has its name. */
  twice: boolean;
  onChange: (row: GroupRow) => void;
  onRemove: () => void;
}

function GroupLine({ row, isStored, twice, onChange, onRemove }: GroupLineProps) {
  const { t } = useTranslation();
  const { name, ratio, description, usable } = row;
  const isBad = ratio.trim() !== '' && !isRatio(ratio);
  const problem = twice && name.trim() !== '' ? t('setting.groupTwice') : isBad ? t('setting.notNumber') : '';
  return (
    <li className="max-md:border-b max-md:border-line max-md:pb-3 max-md:last:border-0">
      <div
        className="grid grid-cols-(--groups) items-center gap-3 max-md:grid-cols-[minmax(0,1fr)_5rem_2.75rem]"
        style={COLUMNS}
      >
        {isStored ? (
          <span className="truncate font-mono text-sm" title={name}>
            {name}
          </span>
        ) : (
          <Input
            aria-label={t('setting.group')}
            value={name}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={twice || undefined}
            className="font-mono"
            onChange={(event) => onChange({ ...row, name: event.target.value })}
          />
        )}
        <Input
          aria-label={t('setting.groupRatioOf', { group: name })}
          value={ratio}
          inputMode="decimal"
          autoComplete="off"
          aria-invalid={isBad || undefined}
          className="text-right tabular-nums"
          onChange={(event) => onChange({ ...row, ratio: event.target.value })}
        />
        <label className="flex min-h-8 items-center gap-2 text-sm max-md:order-1 max-md:col-span-3">
          <Checkbox
            checked={usable}
            aria-label={t('setting.groupUsableOf', { group: name })}
            onChange={(event) => onChange({ ...row, usable: event.target.checked })}
          />
          <span aria-hidden="true" className="md:sr-only">
            {t('setting.groupUsable')}
          </span>
        </label>
        <Input
          aria-label={t('setting.groupDescriptionOf', { group: name })}
          value={description}
          placeholder={usable ? t('setting.groupDescription') : t('setting.groupHidden')}
          disabled={!usable}
          maxLength={200}
          autoComplete="off"
          className={cn('max-md:order-2 max-md:col-span-3', !usable && 'max-md:hidden')}
          onChange={(event) => onChange({ ...row, description: event.target.value })}
        />
        {name === FIRST_GROUP ? (
          <span />
        ) : (
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('setting.groupRemove', { group: name })}
            onClick={onRemove}
          >
            <X aria-hidden="true" />
          </Button>
        )}
      </div>
      {problem && <p className="mt-1 text-xs text-bad">{problem}</p>}
    </li>
  );
}
