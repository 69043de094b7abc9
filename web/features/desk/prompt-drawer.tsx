import { PLATFORMS, PROMPT_LIST_MAX, PROMPT_TOOLS } from '@modules/prompt/facts.ts';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field, FieldGroup } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { useApi } from '@/lib/page-context.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Choices } from './choices.tsx';
import { useEntryHead } from './entry-drawer.tsx';
import { bodyOf, type Prompt, type PromptValues, promptErrors, toolText, valuesOf } from './prompt.ts';
import { useDeskForm } from './use-desk-form.ts';

export interface PromptDrawerProps {
  /** Null for a new one. */
  prompt: Prompt | null;
  /** Those of all prompts, to choose from. */
  tags: readonly string[];
}

export function PromptDrawer({ prompt, tags }: PromptDrawerProps) {
  const { t } = useTranslation();
  const head = useEntryHead();
  const api = useApi();
  const [initial] = useState(() => valuesOf(prompt));
  const { form, saved, close } = useDeskForm<PromptValues>({
    initial,
    validate: (values) => promptErrors(values, t),
    save: (values) => {
      const body = bodyOf(values);
      return prompt
        ? api.send('PUT', '/api/prompt/suggest/:id', { params: { id: String(prompt.id) }, body })
        : api.send('POST', '/api/prompt/suggest', { body });
    },
    done: t(prompt ? 'desk.updated' : 'desk.added'),
  });
  return (
    <DrawerForm {...head} form={form} submitLabel={t('app.save')} saved={saved} onClose={close}>
      <PromptFields form={form} tags={tags} />
    </DrawerForm>
  );
}

function PromptFields({ form, tags }: { form: Form<PromptValues>; tags: readonly string[] }) {
  const { t } = useTranslation();
  const { values } = form;
  const tools = [...new Set([...PROMPT_TOOLS, ...values.mcp])];
  return (
    <>
      <Field id={form.id('title')} label={t('prompt.title')} error={form.error('title')}>
        <Input {...form.text('title')} autoComplete="off" />
      </Field>
      <Choices
        id={form.id('platform')}
        label={t('prompt.clientPlatform')}
        help={t('prompt.platformHelp')}
        options={PLATFORMS.map((value) => ({ value, label: t(`prompt.platform.${value}`) }))}
        value={values.platform}
        onChange={(platform) => form.set('platform', platform)}
      />
      <Field
        id={form.id('version')}
        label={t('prompt.clientVersion')}
        error={form.error('version')}
        help={t('prompt.versionHelp')}
      >
        <Input {...form.text('version')} autoComplete="off" spellCheck={false} />
      </Field>
      <Choices
        id={form.id('mcp')}
        label={t('prompt.mcp')}
        options={tools.map((value) => ({ value, label: toolText(value, t) }))}
        value={values.mcp}
        onChange={(mcp) => form.set('mcp', mcp)}
      />
      <DemoPaths form={form} />
      <Field
        id={form.id('instruction')}
        label={t('prompt.instruction')}
        required
        error={form.error('instruction')}
      >
        <Textarea {...form.text('instruction')} rows={6} />
      </Field>
      <Field id={form.id('tags')} label={t('prompt.tags')} error={form.error('tags')}>
        <ChipPicker
          id={form.id('tags')}
          label={t('prompt.tags')}
          value={values.tags}
          options={tags}
          allowNew
          placeholder={t('prompt.tagsHint')}
          onChange={(next) => form.set('tags', next)}
          onBlur={() => form.leave('tags')}
          aria-invalid={form.error('tags') ? true : undefined}
          aria-describedby={`${form.id('tags')}-error`}
        />
      </Field>
      <Field id={form.id('link')} label={t('prompt.link')} error={form.error('link')}>
        <Input {...form.text('link')} inputMode="url" autoComplete="off" spellCheck={false} />
      </Field>
    </>
  );
}

function DemoPaths({ form }: { form: Form<PromptValues> }) {
  const { t } = useTranslation();
  const { facets } = form.values;
  const change = (next: string[]) => form.set('facets', next);
  return (
    <FieldGroup
      id={form.id('facets')}
      label={t('prompt.facets')}
      help={t('prompt.facetsHelp')}
      error={form.error('facets')}
    >
      {facets.map((path, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and hold no state of their own
        <div key={at} className="flex items-center gap-2">
          <Input
            aria-label={t('prompt.facet', { n: at + 1 })}
            value={path}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change(facets.with(at, event.target.value))}
            onBlur={() => form.leave('facets')}
          />
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('prompt.removeFacet', { n: at + 1 })}
            onClick={() => change(facets.toSpliced(at, 1))}
          >
            <X aria-hidden="true" />
          </Button>
        </div>
      ))}
      {facets.length < PROMPT_LIST_MAX && (
        <Button size="sm" className="justify-self-start" onClick={() => change([...facets, ''])}>
          <Plus aria-hidden="true" />
          {t('prompt.addFacet')}
        </Button>
      )}
    </FieldGroup>
  );
}
