/** What a row of the list of prompts shows, and what can be done with it where it stands. */
import { PROMPT_SORT_MAX } from '@modules/prompt/facts.ts';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { InlineNumber } from '@/components/inline-number.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { EntryMenu } from './entry-menu.tsx';
import { InlineSwitch } from './inline-switch.tsx';
import { nameOf, type Prompt, toolText } from './prompt.ts';

export function usePromptColumns(): Column<Prompt>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<Prompt>[] => [
      { id: 'id', sort: 'id', header: 'ID', align: 'right', className: 'text-muted', cell: ({ id }) => id },
      {
        id: 'title',
        sort: 'title',
        opens: true,
        header: t('prompt.title'),
        card: 'title',
        fixed: true,
        className: 'max-w-44 truncate font-medium max-md:max-w-full',
        cell: (prompt) => (
          <SearchLink change={{ edit: prompt.id }} className="quiet-link" title={nameOf(prompt)}>
            {nameOf(prompt)}
          </SearchLink>
        ),
      },
      {
        id: 'mcp',
        header: t('prompt.mcp'),
        card: 'fact',
        cell: ({ mcp }) => mcp.map((name) => toolText(name, t)).join(', ') || '-',
      },
      {
        id: 'instruction',
        header: t('prompt.instruction'),
        card: 'meta',
        className:
          'max-w-40 truncate text-muted max-md:max-w-full max-md:line-clamp-3 max-md:whitespace-normal',
        cell: ({ instruction }) => <span title={instruction}>{instruction}</span>,
      },
      {
        id: 'version',
        sort: 'version',
        header: t('prompt.version'),
        className: 'text-muted',
        cell: ({ version }) => version || t('prompt.anyVersion'),
      },
      {
        id: 'sort',
        sort: 'sort',
        header: t('prompt.sort'),
        align: 'right',
        card: 'fact-end',
        className: 'md:pr-8',
        cell: (prompt) => <Sort prompt={prompt} />,
      },
      {
        id: 'platform',
        header: t('prompt.platform'),
        className: 'text-muted',
        cell: ({ platform }) =>
          platform.map((one) => t(`prompt.platform.${one}`)).join(', ') || t('prompt.anyPlatform'),
      },
      {
        id: 'release',
        sort: 'release',
        header: t('prompt.release'),
        card: 'status',
        fixed: true,
        cell: (prompt) => <Release prompt={prompt} />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (prompt) => <RowActions prompt={prompt} />,
      },
    ],
    [t],
  );
}

const paramsOf = ({ id }: Prompt) => ({ id: String(id) });

function Sort({ prompt }: { prompt: Prompt }) {
  const { t } = useTranslation();
  const api = useApi();
  const name = nameOf(prompt);
  return (
    <InlineNumber
      label={t('prompt.sortOf', { name })}
      value={prompt.sort}
      min={-PROMPT_SORT_MAX}
      invalid={t('prompt.sortBad')}
      check={t('prompt.sortSave', { name })}
      save={async (sort) => {
        await api.send('PUT', '/api/prompt/suggest/:id', { params: paramsOf(prompt), body: { sort } });
      }}
    />
  );
}

function Release({ prompt }: { prompt: Prompt }) {
  const { t } = useTranslation();
  const api = useApi();
  return (
    <InlineSwitch
      label={t('prompt.releaseOf', { name: nameOf(prompt) })}
      checked={prompt.release}
      save={(release) =>
        api.send('PUT', '/api/prompt/suggest/:id', { params: paramsOf(prompt), body: { release } })
      }
    />
  );
}

function RowActions({ prompt }: { prompt: Prompt }) {
  const { t } = useTranslation();
  const api = useApi();
  const name = nameOf(prompt);
  return (
    <EntryMenu
      id={prompt.id}
      name={name}
      question={{ title: t('prompt.deleteTitle', { name }), body: t('prompt.deleteBody') }}
      remove={() => api.send('DELETE', '/api/prompt/suggest/:id', { params: paramsOf(prompt) })}
    />
  );
}
