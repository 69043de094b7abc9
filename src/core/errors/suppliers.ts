/** Suppliers, and the keys that users bring for them. */
import { type Row, row } from './row.ts';

export const suppliers = {
  SUPPLIER_NOT_FOUND: { ...row(200, 404, '供应商不存在', 'There is no such supplier'), code: 'NOT_FOUND' },
  SUPPLIER_NAME: row(200, 400, '请输入供应商名称，最多50个字符，不能包含“/”', 'The name needs 1 to 50 characters, without a slash'),
  SUPPLIER_NAME_TAKEN: row(200, 409, '供应商名称已存在', 'There is a supplier of this name already'),
  SUPPLIER_TYPE: row(200, 400, '请选择 API 类型', 'Choose the type of its API'),
  SUPPLIER_SDK: row(200, 400, '客户端 SDK 只能是 openai 或 claude', 'The client SDK can only be openai or claude'),
  SUPPLIER_ADDRESS_NEEDED: row(200, 400, '请输入接口地址', 'The Base URL is needed'),
  SUPPLIER_ADDRESS: row(200, 400, '接口地址无效：{reason}', 'The Base URL is invalid: {reason}'),
  SUPPLIER_DISABLED: row(200, 400, '该供应商已禁用', 'This supplier is disabled'),
  SUPPLIER_UNREGISTERED: row(200, 400, '只能使用管理员登记的供应商地址', 'Only the addresses of registered suppliers can be asked'),
  CUSTOM_MODEL_NOT_FOUND: { ...row(200, 404, '用户配置不存在', 'There is no such configuration'), code: 'NOT_FOUND' },
  CUSTOM_MODEL_SUPPLIER: row(200, 400, '请选择供应商', 'Please select a provider'),
  CUSTOM_MODEL_KEY: row(200, 400, '请输入Key', 'Please enter Key'),
  CUSTOM_MODEL_TAKEN: row(200, 409, '该供应商已配置', 'This supplier is configured already'),
  CUSTOM_MODEL_NAMES: row(200, 400, '模型名称无效，或超过{max}个或合计 {kib} KiB', 'A model name is not valid, or there are more than {max}, or more than {kib} KiB of them'),
  CUSTOM_MODEL_KEY_AGAIN: row(200, 400, '该供应商的地址已修改，请重新填写密钥', 'The address of this supplier has changed: enter the key again'),
  CUSTOM_MODEL_MOVED: row(200, 409, '该供应商的地址刚刚被修改，请刷新页面后重试', 'The address of this supplier was changed just now: refresh the page and try again'),
  SUPPLIER_BALANCE_NONE: row(200, 400, '该供应商不提供余额查询', 'This supplier does not tell its balance'),
} satisfies Record<string, Row>;
