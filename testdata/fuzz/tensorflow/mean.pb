
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
0
nConst*
dtype0*
valueB:

yMeanxn