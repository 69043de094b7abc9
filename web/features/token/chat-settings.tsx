/** Whom the playground asks, and how. On the phone a line that opens: the room is for what is said. */
import { ChevronDown } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { ChatErrors, ChatSettings as Settings } from './chat.ts';
import type { Groups } from './token.ts';

interface ChatSettingsProps {
  settings: Settings;
  errors: ChatErrors;
  models: readonly string[];
  groups: Groups;
  onChange: (change: Partial<Settings>) => void;
}

export function ChatSettings({ settings, errors, models, groups, onChange }: ChatSettingsProps) {
  const { t } = useTranslation();
  const id = useId();
  const names = Object.keys(groups);
  const at = (name: string) => `${id}-${name}`;
  const [choice, setChoice] = useState<boolean>();
  // What is wrong stays in sight; where there is no model to call, another group may have one.
  const isOpen = Object.keys(errors).length > 0 || (choice ?? models.length === 0);
  const asked = settings.model || t('token.noModels');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Button
        aria-expanded={isOpen}
        aria-controls={at('all')}
        className="justify-between md:hidden"
        onClick={() => setChoice(!isOpen)}
      >
        <span className="truncate">
          <span className="sr-only">{t('chat.settingsOf')} </span>
          {[asked, settings.group].filter(Boolean).join(' · ')}
        </span>
        <ChevronDown className={cn('shrink-0', isOpen && 'rotate-180')} aria-hidden="true" />
      </Button>
      <div id={at('all')} className={cn('grid grid-cols-[minmax(0,1fr)] gap-4', !isOpen && 'max-md:hidden')}>
        <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
          <Field id={at('model')} label={t('token.model')}>
            <Select
              id={at('model')}
              value={settings.model}
              disabled={models.length === 0}
              onChange={(event) => onChange({ model: event.target.value })}
            >
              {models.length === 0 && <option value="">{t('token.noModels')}</option>}
              {models.map((model) => (
                <option key={model}>{model}</option>
              ))}
            </Select>
          </Field>
          {names.length > 1 && (
            <Field id={at('group')} label={t('token.group')}>
              <Select
                id={at('group')}
                value={settings.group}
                onChange={(event) => onChange({ group: event.target.value })}
              >
                {names.map((name) => (
                  <option key={name} value={name}>
                    {`${name} · ${groups[name]?.ratio}×`}
                  </option>
                ))}
              </Select>
            </Field>
          )}
        </div>
        <details className="rounded-md border border-line">
          <summary className="px-3 py-2 text-sm font-medium max-md:py-3">{t('chat.settings')}</summary>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t border-line p-3">
            <Field id={at('system')} label={t('chat.system')}>
              <Textarea
                id={at('system')}
                rows={2}
                value={settings.system}
                onChange={(event) => onChange({ system: event.target.value })}
              />
            </Field>
            <div className="grid grid-cols-2 gap-4">
              <Field
                id={at('temperature')}
                label={t('chat.temperature')}
                error={errors.temperature && t(errors.temperature)}
              >
                <Input
                  {...controlAria(at('temperature'), { error: errors.temperature })}
                  inputMode="decimal"
                  placeholder={t('chat.modelsOwn')}
                  value={settings.temperature}
                  onChange={(event) => onChange({ temperature: event.target.value })}
                />
              </Field>
              <Field
                id={at('cap')}
                label={t('chat.maxTokens')}
                error={errors.maxTokens && t(errors.maxTokens)}
              >
                <Input
                  {...controlAria(at('cap'), { error: errors.maxTokens })}
                  inputMode="numeric"
                  placeholder={t('chat.modelsOwn')}
                  value={settings.maxTokens}
                  onChange={(event) => onChange({ maxTokens: event.target.value })}
                />
              </Field>
            </div>
            <div className="grid content-start justify-items-start gap-1.5">
              <span className="text-base font-medium">{t('token.answer')}</span>
              <Segmented
                label={t('token.answer')}
                value={settings.answer}
                onChange={(answer) => onChange({ answer })}
                options={[
                  { value: 'streamed', label: t('token.streamed') },
                  { value: 'once', label: t('token.atOnce') },
                ]}
              />
            </div>
          </div>
        </details>
      </div>
    </div>
  );
}
