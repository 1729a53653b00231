-- The embedded store, format 1. Text from here on is compared with what a store holds.
create table meta (name text primary key, value) without rowid;
create table leaf (idx integer primary key, bytes blob not null, hash blob not null);
create table payload (commit_hash blob primary key, salt blob not null, bytes blob not null);
create table piece (digest blob primary key, key blob, bytes blob not null);
create table erased_step (commit_hash blob primary key, step text not null);
create table run_key (run text primary key, key blob not null);
create table checkpoint (size integer primary key, note blob not null);
-- Notes of those who record; no proof speaks of them.
create table run_join (key text primary key, run text not null) without rowid;
create table run_writer (run text, writer text, primary key (run, writer)) without rowid;
create table run_link (run text, session text, link text not null, primary key (run, session)) without rowid;
-- Derived from the above, and built again by `store repair`: subtrees, and tables for finding.
create table node (level integer, idx integer, hash blob not null, primary key (level, idx)) without rowid;
create table run (id integer primary key, run text not null unique, name text, agent text, model text, opened_at text, closed_at text, run_by text, entries integer not null, seq integer not null, position integer not null, prev_digest text not null, last_leaf blob not null);
create table entry (run integer, entry integer, idx integer not null, kind text not null, primary key (run, entry)) without rowid;
create table open_call (run integer, position integer, primary key (run, position)) without rowid;
create table run_tool (run integer, tool text, outcome text, calls integer not null, primary key (run, tool, outcome)) without rowid;
create table piece_use (digest blob, run integer, entry integer, primary key (digest, run, entry)) without rowid;
-- Leaves and checkpoints are only added. A replacement deletes and inserts without asking a trigger
-- on deletion: the one on insertion refuses it.
create trigger leaf_insert before insert on leaf when new.idx is not (select coalesce(max(idx) + 1, 0) from leaf) begin select raise(abort, 'leaves are only added at the end'); end;
create trigger leaf_update before update on leaf begin select raise(abort, 'a leaf is never changed'); end;
create trigger leaf_delete before delete on leaf begin select raise(abort, 'a leaf is never removed'); end;
create trigger checkpoint_insert before insert on checkpoint when exists (select 1 from checkpoint where size = new.size) begin select raise(abort, 'a checkpoint is never replaced'); end;
create trigger checkpoint_update before update on checkpoint begin select raise(abort, 'a checkpoint is never changed'); end;
create trigger checkpoint_delete before delete on checkpoint begin select raise(abort, 'a checkpoint is never removed'); end;
