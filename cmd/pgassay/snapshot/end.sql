
commit;
