// A small interpreter of steps: in the order of the file, one after the other.
import jsonata from 'jsonata';
export class Failure extends Error { constructor(code, message, result){ super(message); this.code=code; this.result=result; } }
const nothing = undefined;
const RESERVED = new Set(['args','and','or','in','true','false','null','function']);
const kinds = ['call','expr','ask','steps'];
const keysOf = {
  call: ['id','call','args','if','each','as','key','maxParallel','until','repeat','onError','after','timeoutMs','help','retry','effect','confirm','cache','onCrash'],
  expr: ['id','expr','if','each','as','key','maxParallel','until','onError','after'],
  ask: ['id','ask','if','onError','after','timeoutMs','help'],
  steps: ['id','steps','return','if','each','as','key','maxParallel','until','repeat','onError','after'],
};
export function check(list, ret, outer=[]) {
  const problems=[]; const seen=new Set(outer);
  if (!Array.isArray(list)||!list.length) { problems.push('steps is empty'); return problems; }
  for (const s of list) {
    const k=kinds.filter(x=>x in s); const at=`step ${s.id}`;
    if (k.length!==1) problems.push(`step-form: ${at} has ${k.join(' and ')||'none of call, expr, ask, steps'}`);
    for (const key of Object.keys(s)) if (k.length && !keysOf[k[0]].includes(key)) problems.push(`step-form: ${at} has ${key}, which ${k[0]} does not have`);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(s.id||'') || RESERVED.has(s.id)) problems.push(`bad id ${s.id}`);
    if (seen.has(s.id)) problems.push(`duplicate id ${s.id}`);
    for (const a of s.after||[]) if (!seen.has(a)) problems.push(`after: ${a} is no step above`);
    if (s.repeat && !s.repeat.until) problems.push(`step-form: ${at}: repeat without until`);
    if (s.until && !s.each) problems.push(`step-form: ${at}: until without each; write repeat`);
    if ((s.as||s.key||s.maxParallel) && !s.each) problems.push(`step-form: ${at}: as, key, maxParallel need each`);
    if (s.steps) problems.push(...check(s.steps, s.return, [...seen]));
    for (const e of [s.expr,s.if,s.each,s.key,s.until,s.return,s.repeat&&s.repeat.until].filter(x=>x!==undefined)) { if (typeof e!=='string') problems.push(`${at}: an expression is a text, found ${JSON.stringify(e)}`); else try { jsonata(e) } catch(x) { problems.push(`${at}: ${e}: ${x.message}`) } }
    if (s.onError && s.onError!=='skip' && 'expr' in s.onError) problems.push(`step-form: ${at}: onError: {value: {expr}}`);
    seen.add(s.id);
  }
  if (ret!==undefined) { if (typeof ret!=='string') problems.push('return is no text'); else try { jsonata(ret) } catch(x) { problems.push(`return: ${ret}: ${x.message}`) } }
  return problems;
}
const clean = v => v===undefined?undefined:JSON.parse(JSON.stringify(v));
async function ev(src, scope, vars) {
  let r; try { r = await jsonata(src).evaluate(scope, vars); } catch (e) { throw new Failure(e.code==='D3137'?'raised':'expression', `${src}: ${e.message}`); }
  return clean(r);
}
async function walk(x, scope, vars) {
  if (Array.isArray(x)) { const out=[]; for (const y of x) { const v=await walk(y,scope,vars); out.push(v===undefined?null:v); } return out; }
  if (x && typeof x==='object') {
    const ks=Object.keys(x);
    if (ks.length===1 && ks[0]==='expr') return ev(x.expr, scope, vars);
    if (ks.length===1 && ks[0]==='value') return x.value;
    const out={}; for (const k of ks) { const v=await walk(x[k],scope,vars); if (v!==undefined) out[k]=v; } return out;
  }
  return x;
}
const truthy = v => { if (v===undefined||v===null) return false; if (Array.isArray(v)) return v.some(truthy)||(v.length===1&&truthy(v[0])); if (typeof v==='object') return Object.keys(v).length>0; return !!v; };
export async function runSteps(list, ret, host, scope, vars) {
  let last;
  for (const s of list) {
    if (s.if!==undefined && !truthy(await ev(s.if, scope, vars))) { last=undefined; continue; }
    let v;
    if (s.each===undefined) v=await caught(s, host, scope, vars, ()=>repeated(s, host, scope, vars));
    else {
      let items=await ev(s.each, scope, vars);
      items = items===undefined||items===null?[]:Array.isArray(items)?items:[items];
      if (items.length>10000) throw new Failure('limit','too many items');
      const bind=(x,i)=>({...vars,[s.as||'item']:x,index:i,...(s.as?{}:{item:x})});
      const keys=[];
      if (s.key!==undefined) for (let i=0;i<items.length;i++) { let k=await ev(s.key,scope,bind(items[i],i)); if (!['string','number','boolean'].includes(typeof k)) throw new Failure('key',`key of item ${i} is ${JSON.stringify(k)}`); k=String(k); if (keys.includes(k)) throw new Failure('duplicate-key',`items ${keys.indexOf(k)} and ${i} have the key ${k}`); keys.push(k); }
      const out=[], obj={};
      for (let i=0;i<items.length;i++) {
        const b=bind(items[i],i); const r=await caught(s,host,scope,b,()=>repeated(s,host,scope,b));
        if (r===SKIP) continue;
        if (s.key!==undefined) obj[keys[i]]=r===undefined?null:r; else out.push(r===undefined?null:r);
        if (s.until!==undefined && truthy(await ev(s.until,scope,{...b,result:r}))) break;
      }
      v=s.key!==undefined?obj:out;
    }
    if (v===SKIP) v=undefined;
    if (v!==undefined) scope={...scope,[s.id]:v}; last=v;
  }
  return ret===undefined?last:ev(ret,scope,vars);
}
const SKIP=Symbol('skip');
async function caught(s, host, scope, vars, f) {
  try { return await f(); } catch (e) {
    if (!(e instanceof Failure)||s.onError===undefined||e.code==='limit') throw e;
    if (s.onError==='skip') return SKIP;
    if (s.onError.codes && !s.onError.codes.includes(e.code)) throw e;
    const failure={code:e.code,message:e.message,node:s.id}; if (e.result!==undefined) failure.result=e.result;
    return 'value' in s.onError ? walk(s.onError.value,scope,{...vars,failure}) : {error:failure};
  }
}
async function repeated(s, host, scope, vars) {
  if (!s.repeat) return once(s,host,scope,vars);
  const all=[]; let previous; const times=s.repeat.times||10;
  for (let n=1;n<=times;n++) {
    const b={...vars,n,previous}; const r=await once(s,host,scope,b); all.push(r===undefined?null:r);
    if (truthy(await ev(s.repeat.until,scope,{...b,result:r}))) return s.repeat.collect?all:r;
    previous=r;
  }
  throw new Failure('not-yet',`${s.id}: until did not hold within ${times} turns`, s.repeat.collect?all:previous);
}
async function once(s, host, scope, vars) {
  if (s.call!==undefined) {
    const args=await walk(s.args||{},scope,vars);
    try { return clean(await host.call(s.call,args)); } catch (e) { throw new Failure(e.code||'tool',e.message); }
  }
  if (s.expr!==undefined) return ev(s.expr,scope,vars);
  if (s.ask!==undefined) { const m=await walk(s.ask.message,scope,vars); return host.ask(m,s.ask.schema); }
  return runSteps(s.steps,s.return,host,scope,vars);
}
